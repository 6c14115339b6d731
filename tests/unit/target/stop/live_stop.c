/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of attach.c, process.c and live.c on a process whose main thread called pthread_exit() while others run. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "child_fixture.h"
#include "target/modules/modules.h"
#include "target/target.h"

#define PATIENT_MS 60000

static void *count_thread(void *arg)
{
	int i = (int)(intptr_t)arg;

	child_shared->tids[i] = gettid();
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	while (!(i == 3 && child_shared->go == 2)) {
		child_shared->counters[i]++;
		if (child_shared->counters[i] % 1000 == 0)
			usleep(100);
	}
	return NULL;
}

static void leave(int when)
{
	child_shared->tids[0] = getpid();
	for (int i = 1; i <= 3; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, count_thread, (void *)(intptr_t)i))
			abort();
	}
	while (child_shared->go < when)
		usleep(1000);
	pthread_exit(NULL);
}

static void leave_at_once(void)
{
	leave(0);
}

static void leave_when_told(void)
{
	leave(1);
}

static void begin(enum target_mode mode)
{
	child = child_start(leave_at_once);
	child_wait_ready(3);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert_no_err(target_attach(child, mode, PATIENT_MS, &t));
}

/* Requests everything about a process; only its @n living threads may be in the answers. */
static void check_looks(size_t n)
{
	const struct target_thread *threads;
	const struct target_module *modules;
	struct target_symbol symbol;
	uint64_t value;
	size_t n_threads, n_modules;

	ck_assert_no_err(target_check(t));
	target_view_begin(t);
	ck_assert_no_err(target_threads(t, &threads, &n_threads));
	ck_assert_uint_eq(n_threads, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_ne(threads[i].tid, child);
		ck_assert(threads[i].pthread != 0);
	}
	ck_assert_no_err(target_read(t, (uint64_t)(uintptr_t)&child_marker, &value, 8));
	ck_assert_uint_eq(value, 0x1122334455667788u);
	ck_assert_no_err(target_modules(t, &modules, &n_modules));
	ck_assert_uint_gt(n_modules, 2);
	ck_assert_no_err(target_symbol(t, "child_marker", NULL, &symbol));
	ck_assert_uint_eq(symbol.address, (uint64_t)(uintptr_t)&child_marker);
}

static void check_stops(size_t n, unsigned budget_ms)
{
	int64_t us;

	for (int i = 0; i < 5; i++) {
		ck_assert_no_err(target_stop(t, budget_ms));
		uint64_t before = child_count();
		check_looks(n);
		for (size_t k = 1; k <= n; k++)
			ck_assert_int_eq(child_state(child, child_shared->tids[k]), 't');
		ck_assert_uint_eq(child_count(), before);
		ck_assert_no_err(target_resume(t, &us));
		ck_assert(child_progresses());
	}
	ck_assert(!child_any_stopped(child));
}

START_TEST(test_observe)
{
	begin(TARGET_OBSERVE);
	for (int i = 0; i < 5; i++)
		check_looks(3);
	ck_assert(!target_is_stopped_by_other(t));
	kill(child, SIGSTOP);
	for (int i = 1; i <= 3; i++)
		ck_assert(child_wait_thread_state(child, child_shared->tids[i], 'T'));
	ck_assert(target_is_stopped_by_other(t));
	kill(child, SIGCONT);
	ck_assert(child_progresses());
	ck_assert_int_eq(child_state(child, child), 'Z');
}
END_TEST

START_TEST(test_stop)
{
	begin(TARGET_STOP);
	check_stops(3, PATIENT_MS);
}
END_TEST

START_TEST(test_hold)
{
	begin(TARGET_STOP);
	check_stops(3, 0);
}
END_TEST

/* The thread by which the process was found may end, too. */
START_TEST(test_another_leaves)
{
	begin(_i ? TARGET_STOP : TARGET_OBSERVE);
	check_looks(3);
	child_shared->go = 2;
	for (int i = 0; i < 300000 && child_state(child, child_shared->tids[3]) != 'X'; i++)
		usleep(1000);
	check_looks(2);
	if (_i)
		check_stops(2, PATIENT_MS);
}
END_TEST

START_TEST(test_leaves_while_attached)
{
	int64_t us;

	child = child_start(leave_when_told);
	child_wait_ready(3);
	ck_assert_no_err(target_attach(child, _i ? TARGET_STOP : TARGET_OBSERVE, PATIENT_MS, &t));
	if (_i) {
		ck_assert_no_err(target_stop(t, PATIENT_MS));
		ck_assert_no_err(target_resume(t, &us));
	}
	child_shared->go = 1;
	ck_assert(child_wait_state(child, 'Z'));
	check_looks(3);
	if (_i) {
		check_stops(3, PATIENT_MS);
		check_stops(3, 0);
	}
}
END_TEST

START_TEST(test_end)
{
	begin(_i ? TARGET_STOP : TARGET_OBSERVE);
	kill(child, SIGKILL);
	await_check(ERR_TARGET_EXITED);
}
END_TEST

static void *exec_thread(void *arg)
{
	while (!child_shared->go)
		usleep(1000);
	execl("/bin/sleep", "sleep", "60", (char *)NULL);
	return arg;
}

static void leave_an_exec(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_thread, NULL);
	child_shared->ready = 1;
	pthread_exit(NULL);
}

START_TEST(test_exec)
{
	child = child_start(leave_an_exec);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert_no_err(target_attach(child, _i ? TARGET_STOP : TARGET_OBSERVE, PATIENT_MS, &t));
	ck_assert_no_err(target_check(t));
	child_shared->go = 1;
	await_check(ERR_TARGET_EXEC);
}
END_TEST

#define MANY 60

static void *wait_thread(void *arg)
{
	__atomic_add_fetch(&child_shared->ready, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return arg;
}

/* The future main thread is the last in the kernel's list, behind many threads that end. */
static void leave_many_and_an_exec(void)
{
	pthread_t thread;

	for (int i = 0; i < MANY; i++) {
		if (pthread_create(&thread, NULL, wait_thread, NULL))
			abort();
	}
	while (child_shared->ready < MANY)
		usleep(1000);
	pthread_create(&thread, NULL, exec_thread, NULL);
	pthread_exit(NULL);
}

/* A walk over the threads one by one finds the executing thread under neither number. */
START_TEST(test_exec_is_no_exit_at_any_moment)
{
	struct error *err = NULL;

	child = child_start(leave_many_and_an_exec);
	ck_assert(child_wait_state(child, 'Z'));
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, PATIENT_MS, &t));
	ck_assert_no_err(target_check(t));
	child_shared->go = 1;
	while (!err)
		err = target_check(t);
	ck_assert_err(err, ERR_TARGET_EXEC);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_leader");
	TCase *tc = tcase_create("leader");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_observe);
	tcase_add_test(tc, test_stop);
	tcase_add_test(tc, test_hold);
	tcase_add_loop_test(tc, test_another_leaves, 0, 2);
	tcase_add_loop_test(tc, test_leaves_while_attached, 0, 2);
	tcase_add_loop_test(tc, test_end, 0, 2);
	tcase_add_loop_test(tc, test_exec, 0, 2);
	tcase_add_loop_test(tc, test_exec_is_no_exit_at_any_moment, 0, 20);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
