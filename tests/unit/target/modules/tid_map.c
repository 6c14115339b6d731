/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/modules/tid_map: the ids of a process's threads in its own PID namespace. */
#include "target/modules/tid_map.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_fixture.h"

#define N_THREADS 5

static struct tid_map map;

/* Starts the child and waits for it. The test's own later children (a sanitizer's) must be in its own namespace. */
static pid_t middle;

/* Runs child_start() in a new PID namespace. Returns false if the machine does not allow it. */
static bool start_in_namespace(void (*body)(void))
{
	child_shared = mmap(NULL, sizeof(*child_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(child_shared, MAP_FAILED);
	middle = fork();
	ck_assert_int_ge(middle, 0);
	if (middle == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
			_exit(1);
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			body();
			_exit(0);
		}
		child_shared->go = pid;
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	while (!child_shared->go) {
		if (waitpid(middle, NULL, WNOHANG) != 0) {
			middle = 0;
			return false;
		}
		usleep(1000);
	}
	child = child_shared->go;
	return true;
}

/* Each thread is found by the id that it has reported, and is the one with its pthread. */
static void check_all(void)
{
	const struct target_thread *threads;
	size_t n;

	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(n, N_THREADS);
	tid_map_refresh(&map, t);
	for (int i = 0; i < N_THREADS; i++) {
		const struct target_thread *thread = target_thread_by_pthread(t, child_shared->pthreads[i]);

		ck_assert_ptr_nonnull(thread);
		ck_assert_ptr_eq(tid_map_find(&map, t, child_shared->tids[i]), thread);
		ck_assert_int_eq(tid_map_own(&map, thread->tid), child_shared->tids[i]);
	}
}

static void end(void)
{
	tid_map_deinit(&map);
	teardown();
	if (middle > 0)
		child_end(middle);
}

START_TEST(test_in_our_namespace_both_are_one)
{
	attach_child(child_four_futex, N_THREADS, TARGET_OBSERVE, 0);
	check_all();
	ck_assert(map.same_namespace);
	ck_assert_ptr_null(tid_map_find(&map, t, getpid()));
}
END_TEST

START_TEST(test_in_another_namespace_threads_are_found_by_their_own_ids)
{
	if (!start_in_namespace(child_four_futex))
		CHECK_SKIP("no PID namespaces here");
	child_wait_ready(N_THREADS);
	ck_assert_int_eq(child_shared->tids[0], 1);
	ck_assert_no_err(target_attach(child, TARGET_OBSERVE, 0, &t));
	check_all();
	ck_assert(!map.same_namespace);
	/* Our ids of its threads are unknown there, and so are other ids. */
	ck_assert_ptr_null(tid_map_find(&map, t, child));
	ck_assert_ptr_null(tid_map_find(&map, t, 0));
	ck_assert_int_eq(tid_map_own(&map, getpid()), 0);
}
END_TEST

START_TEST(test_an_empty_map_knows_nobody)
{
	attach_child(child_four_futex, N_THREADS, TARGET_OBSERVE, 0);
	ck_assert_ptr_null(tid_map_find(&map, t, child));
	ck_assert_int_eq(tid_map_own(&map, child), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_tid_map");
	TCase *tc = tcase_create("ids");

	tcase_add_checked_fixture(tc, NULL, end);
	tcase_add_test(tc, test_in_our_namespace_both_are_one);
	tcase_add_test(tc, test_in_another_namespace_threads_are_found_by_their_own_ids);
	tcase_add_test(tc, test_an_empty_map_knows_nobody);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
