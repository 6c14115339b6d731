/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/stacks/stack_seen: where the threads of a running child are. A kernel that refuses must say why. */
#include "openmp/stacks/stack_seen.h"

#include <sys/wait.h>

#include "model_fixture.h"

/* Longer than any function here. */
#define CODE_SIZE 1024

static struct snapshot s;
static struct snapshot_thread thread;
static struct stack_seen seen;
static volatile uint64_t turns;

/* Each function writes behind its loop, so that it has a frame of its own. */
__attribute__((noinline)) static void work(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		turns++;
	turns = 0;
}

__attribute__((noinline)) static void sleeps(void)
{
	child_shared->ready = 1;
	while (!child_shared->go)
		pause();
	turns = 0;
}

static bool is_in(uint64_t pc, void (*function)(void))
{
	return pc - (uint64_t)(uintptr_t)function < CODE_SIZE;
}

static void start(void (*body)(void))
{
	start_model(body, 1, TARGET_OBSERVE);
}

static void stop(void)
{
	stack_seen_deinit(&seen);
	stop_model();
}

static void look_at(pid_t tid, bool openmp, char kernel_state, unsigned ms)
{
	const struct snapshot_ref none = {ompd_rc_unavailable, SNAPSHOT_NONE, 0};

	stack_seen_deinit(&seen);
	thread = (struct snapshot_thread){
		.tid = tid,
		.openmp = openmp,
		.parallel = none,
		.task = none,
		.kernel_state = kernel_state,
	};
	s = (struct snapshot){.threads = &thread, .n_threads = 1};
	target_view_begin(t);
	ck_assert_no_err(model_open(m));
	ck_assert_no_err(stack_seen_take(m, &s, ms, &seen));
	ck_assert(!child_any_stopped(child));
}

static void look(char kernel_state, unsigned ms)
{
	look_at(child, true, kernel_state, ms);
}

START_TEST(test_a_thread_that_runs)
{
	start(work);
	/* It may not get a CPU during the sample. */
	do
		look('R', 100);
	while (!thread.activity.known && !seen.why);
	if (seen.why) {
		ck_assert_int_eq(seen.why->code, ERR_PERF_REFUSED);
	} else {
		ck_assert(is_in(thread.activity.pc, work));
		ck_assert_uint_eq(seen.stacks.n_threads, 1);
		ck_assert(is_in(seen.wheres[0].pc, work));
	}
	stop();
}
END_TEST

START_TEST(test_a_thread_that_sleeps)
{
	start(sleeps);
	/* It has reported that it is ready, and is about to sleep. */
	do
		look('S', 0);
	while (!thread.activity.known || !thread.activity.in_syscall || !seen.stacks.n_threads);
	ck_assert_ptr_null(seen.why);
	ck_assert_uint_eq(seen.stacks.n_threads, 1);
	ck_assert_int_eq(seen.stacks.threads[0].tid, child);
	ck_assert(is_in(seen.wheres[0].pc, sleeps));
	stop();
}
END_TEST

START_TEST(test_threads_of_others_are_not_looked_at)
{
	start(sleeps);
	look_at(child, false, 'R', STACK_SEEN_MAX_MS);
	ck_assert(!thread.activity.known);
	ck_assert_ptr_null(seen.why);
	ck_assert_uint_eq(seen.stacks.n_threads, 0);
	stop();
}
END_TEST

START_TEST(test_a_thread_that_has_ended)
{
	start(sleeps);
	pid_t gone = fork();

	ck_assert_int_ge(gone, 0);
	if (!gone)
		_exit(0);
	ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
	look_at(gone, true, 'R', STACK_SEEN_MAX_MS);
	ck_assert(!thread.activity.known);
	ck_assert_uint_eq(seen.stacks.n_threads, 0);
	/* Where the kernel refuses all, the thread's identity does not matter. */
	if (seen.why)
		ck_assert_int_eq(seen.why->code, ERR_PERF_REFUSED);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp_stack_seen");
	TCase *tc = tcase_create("stack_seen");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_a_thread_that_runs);
	tcase_add_test(tc, test_a_thread_that_sleeps);
	tcase_add_test(tc, test_threads_of_others_are_not_looked_at);
	tcase_add_test(tc, test_a_thread_that_has_ended);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
