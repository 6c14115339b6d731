/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/sampling/sampler/process_sampler: with several runtimes in a process, the one with which a thread is
 * counted.
 */
#include "openmp/sampling/sampler/process_sampler.h"

#include <omp-tools.h>
#include <string.h>

#include "check_main.h"

#define RUNTIMES 3
#define THREADS	 4

static struct process_sampler sampler;
static struct runtime_sampler samplers[RUNTIMES];
static struct sampled_thread threads[RUNTIMES][THREADS];
static struct snapshot_thread seen[RUNTIMES][THREADS];
static struct snapshot_parallel parallels[] = {{.level = {ompd_rc_ok, 0}}, {.level = {ompd_rc_ok, 1}}};

enum { OUTSIDE, INSIDE };

static void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(seen, 0, sizeof(seen));
	sampler = (struct process_sampler){.n = RUNTIMES};
	for (size_t i = 0; i < RUNTIMES; i++) {
		samplers[i] = (struct runtime_sampler){
			.threads = threads[i],
			.n_threads = THREADS,
			.is_there = true,
			.s = {.threads = seen[i], .n_threads = THREADS, .parallels = parallels, .n_parallels = 2}};
		sampler.of[i] = &samplers[i];
		for (size_t k = 0; k < THREADS; k++) {
			threads[i][k].tid = seen[i][k].tid = 100 + (pid_t)k;
			seen[i][k].parallel.index = OUTSIDE;
		}
	}
}

/* Runtime @i knows thread @k, which is inside or outside its region. */
static void knows(size_t i, size_t k, uint32_t where)
{
	seen[i][k].openmp = true;
	seen[i][k].parallel.index = where;
}

/* Returns the runtime with which thread @k is counted; -1: none. Fails if there is more than one. */
static int owner(size_t k)
{
	int found = -1;

	for (int i = 0; i < RUNTIMES; i++) {
		if (!samplers[i].is_there || !seen[i][k].openmp)
			continue;
		ck_assert_int_eq(found, -1);
		found = i;
	}
	return found;
}

START_TEST(test_each_thread_counts_once)
{
	/* The program's first thread belongs to all runtimes; it is in a region of the last one. */
	for (size_t i = 0; i < RUNTIMES; i++)
		knows(i, 0, i == 2 ? INSIDE : OUTSIDE);
	knows(1, 1, INSIDE);
	for (size_t i = 0; i < RUNTIMES; i++)
		knows(i, 2, OUTSIDE);
	process_sampler_assign_threads(&sampler, 1);
	ck_assert_int_eq(owner(0), 2);
	ck_assert_int_eq(owner(1), 1);
	ck_assert_int_eq(owner(2), 1);
	ck_assert_int_eq(owner(3), -1);
}
END_TEST

START_TEST(test_in_regions_of_several)
{
	knows(0, 0, INSIDE);
	knows(2, 0, INSIDE);
	knows(1, 1, OUTSIDE);
	knows(2, 1, OUTSIDE);
	process_sampler_assign_threads(&sampler, 2);
	ck_assert_int_eq(owner(0), 2);
	ck_assert_int_eq(owner(1), 2);
	/* Neither is the main runtime: the first one counts. */
	setup();
	knows(0, 0, INSIDE);
	knows(2, 0, INSIDE);
	process_sampler_assign_threads(&sampler, 1);
	ck_assert_int_eq(owner(0), 0);
}
END_TEST

/* A runtime that could not be read in this sample takes no threads from others. */
START_TEST(test_one_that_is_not_there)
{
	knows(0, 0, OUTSIDE);
	knows(1, 0, INSIDE);
	samplers[1].is_there = false;
	process_sampler_assign_threads(&sampler, 0);
	ck_assert_int_eq(owner(0), 0);
}
END_TEST

/* A thread's region may be unknown. */
START_TEST(test_without_a_region)
{
	knows(0, 0, SNAPSHOT_NONE);
	knows(1, 0, INSIDE);
	process_sampler_assign_threads(&sampler, 0);
	ck_assert_int_eq(owner(0), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/sampling/sampler/process_sampler");
	TCase *tc = tcase_create("sampler");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_each_thread_counts_once);
	tcase_add_test(tc, test_in_regions_of_several);
	tcase_add_test(tc, test_one_that_is_not_there);
	tcase_add_test(tc, test_without_a_region);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
