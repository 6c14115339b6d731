/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/helper_thread: a thread that does one thing at a time, and may be busy for ever. */
#include "base/helper_thread.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check_main.h"

struct errand {
	pid_t tid;
	int n;
	_Atomic bool may_go;
};

static void note(void *arg)
{
	struct errand *e = arg;

	e->tid = (pid_t)syscall(SYS_gettid);
	e->n++;
}

static void linger(void *arg)
{
	struct errand *e = arg;

	while (!atomic_load(&e->may_go))
		usleep(1000);
	e->n++;
}

START_TEST(test_runs_elsewhere_one_after_the_other)
{
	struct errand e = {0};
	struct helper_thread *a;

	ck_assert_no_err(helper_thread_create("unit-helper", 0, &a));
	for (int i = 1; i <= 1000; i++) {
		helper_thread_run(a, note, &e);
		ck_assert_int_eq(e.n, i);
	}
	ck_assert_int_eq(e.tid, helper_thread_tid(a));
	ck_assert_int_ne(e.tid, (pid_t)syscall(SYS_gettid));
	helper_thread_destroy(a);
}
END_TEST

START_TEST(test_is_waited_for_no_longer_than_asked)
{
	struct errand e = {0};
	struct helper_thread *a;

	ck_assert_no_err(helper_thread_create("unit-helper", 0, &a));
	helper_thread_begin(a, linger, &e);
	ck_assert(!helper_thread_await_for(a, 0));
	ck_assert(!helper_thread_await_for(a, 20));
	atomic_store(&e.may_go, true);
	helper_thread_await(a);
	ck_assert_int_eq(e.n, 1);
	ck_assert(helper_thread_await_for(a, 0));
	helper_thread_destroy(a);
}
END_TEST

START_TEST(test_who_is_busy_for_ever_is_left)
{
	static struct errand e;
	struct helper_thread *a;

	ck_assert_no_err(helper_thread_create("unit-helper", 0, &a));
	helper_thread_begin(a, linger, &e);
	helper_thread_destroy(a);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_aside");
	TCase *tc = tcase_create("helper_thread");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_runs_elsewhere_one_after_the_other);
	tcase_add_test(tc, test_is_waited_for_no_longer_than_asked);
	tcase_add_test(tc, test_who_is_busy_for_ever_is_left);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
