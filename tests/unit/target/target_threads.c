/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/target_threads on a fake target: the thread list and its members. */
#include "target/target.h"

#include "check_main.h"
#include "fake_target.h"
#include "target/target_ops.h"

static struct target *t;

static void setup(void)
{
	t = fake_target_create(TARGET_STOP);
}

static void teardown(void)
{
	target_destroy(t);
}

START_TEST(test_threads_main_first_then_by_tid)
{
	const struct target_thread *threads;
	size_t n;

	fake_target_add_thread(t, 500, 0x500, "main");
	fake_target_add_thread(t, 700, 0x700, "c");
	fake_target_add_thread(t, 300, 0x300, "a");
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(threads[0].tid, 500);
	ck_assert_int_eq(threads[1].tid, 300);
	ck_assert_int_eq(threads[2].tid, 700);
	ck_assert_ptr_eq(target_thread_by_tid(t, 300), &threads[1]);
	ck_assert_ptr_eq(target_thread_by_tid(t, 500), &threads[0]);
	ck_assert_ptr_eq(target_thread_by_tid(t, 700), &threads[2]);
	ck_assert_ptr_null(target_thread_by_tid(t, 400));
	ck_assert_ptr_eq(target_thread_by_pthread(t, 0x300), &threads[1]);
	ck_assert_ptr_null(target_thread_by_pthread(t, 0x301));
	ck_assert_ptr_null(target_thread_by_pthread(t, 0));
}
END_TEST

START_TEST(test_threads_that_come_and_go)
{
	const struct target_thread *threads;
	size_t n;

	fake_target_add_thread(t, 500, 0x500, "main");
	fake_target_add_thread(t, 700, 0x700, "c");
	ck_assert_no_err(target_threads(t, &threads, &n));
	uint64_t generation = t->threads_generation;
	target_view_begin(t);
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(t->threads_generation, generation);
	fake_target_remove_thread(t, 700);
	fake_target_add_thread(t, 800, 0x800, "d");
	target_view_begin(t);
	ck_assert_no_err(target_threads(t, &threads, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_ne(t->threads_generation, generation);
	ck_assert_ptr_null(target_thread_by_tid(t, 700));
	ck_assert_str_eq(target_thread_by_pthread(t, 0x800)->comm, "d");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_threads");
	TCase *tc = tcase_create("threads");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_threads_main_first_then_by_tid);
	tcase_add_test(tc, test_threads_that_come_and_go);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
