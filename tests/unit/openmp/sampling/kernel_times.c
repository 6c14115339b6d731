/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/kernel_times: the kernel's counters of threads that count, and of threads that sleep. */
#include "openmp/sampling/kernel_times.h"

#include <string.h>
#include <unistd.h>

#include "child_fixture.h"
#include "target/target.h"

#define N_THREADS 5

static void assert_all_found(const struct kernel_times *k)
{
	ck_assert_uint_eq(k->n, N_THREADS);
	ck_assert(!k->is_cut);
	for (size_t i = 0; i < N_THREADS; i++) {
		const struct kernel_thread *thread = kernel_times_find(k, child_shared->tids[i]);

		ck_assert(thread && thread->tid == child_shared->tids[i]);
		ck_assert(thread->has_cpus && target_cpus_count(&thread->cpus) > 0);
		ck_assert(!i || k->threads[i - 1].tid < k->threads[i].tid);
	}
	ck_assert(!kernel_times_find(k, getpid()));
}

static uint64_t used_ns(const struct kernel_times *before, const struct kernel_times *after, size_t i)
{
	pid_t tid = child_shared->tids[i];

	return kernel_times_find(after, tid)->cpu_ns - kernel_times_find(before, tid)->cpu_ns;
}

/* Each thread gets a CPU at some time, however busy the machine is. */
START_TEST(test_threads_that_count)
{
	struct kernel_times before = {0}, after = {0};
	bool all_ran = false;

	attach_child(child_four_counting, N_THREADS, TARGET_OBSERVE, 200);
	ck_assert_no_err(kernel_times_read(t, &before));
	assert_all_found(&before);
	while (!all_ran) {
		usleep(10000);
		kernel_times_deinit(&after);
		ck_assert_no_err(kernel_times_read(t, &after));
		ck_assert_int_gt(after.at_us, before.at_us);
		all_ran = true;
		for (size_t i = 0; i < N_THREADS; i++)
			all_ran &= used_ns(&before, &after, i) > 0;
	}
	assert_all_found(&after);
	kernel_times_deinit(&before);
	kernel_times_deinit(&after);
}
END_TEST

START_TEST(test_threads_that_sleep)
{
	struct kernel_times before = {0}, after = {0};

	attach_child(child_four_futex, N_THREADS, TARGET_OBSERVE, 200);
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert(child_wait_state(child_shared->tids[i], 'S'));
	ck_assert_no_err(kernel_times_read(t, &before));
	usleep(20000);
	ck_assert_no_err(kernel_times_read(t, &after));
	assert_all_found(&after);
	for (size_t i = 0; i < N_THREADS; i++)
		ck_assert_uint_eq(used_ns(&before, &after, i), 0);
	kernel_times_deinit(&before);
	kernel_times_deinit(&after);
}
END_TEST

START_TEST(test_a_process_that_has_ended)
{
	struct kernel_times times = {0};

	ck_assert(!kernel_times_find(&times, getpid()));
	attach_child(child_sleeper, 1, TARGET_OBSERVE, 200);
	child_end(child);
	child = 0;
	struct error *err = kernel_times_read(t, &times);
	/* There are no counters, whatever the list of threads says. */
	ck_assert(err || times.n == 0);
	error_destroy(err);
	kernel_times_deinit(&times);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/kernel_times");
	TCase *tc = tcase_create("kernel_times");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_threads_that_count);
	tcase_add_test(tc, test_threads_that_sleep);
	tcase_add_test(tc, test_a_process_that_has_ended);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
