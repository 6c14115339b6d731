/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/stop/stopped_threads.c: the list of stopped threads. */
#include "target/stop/stopped_threads.h"

#include "check_main.h"
#include "target/arch/arch.h"

static struct stopped_threads stopped;

static void teardown(void)
{
	stopped_threads_deinit(&stopped);
}

static void add(pid_t tid, unsigned long long pc)
{
	struct arch_registers registers = {0};

	arch_set_pc(&registers, pc);
	stopped_threads_add(tid, &registers, &stopped);
}

START_TEST(test_empty)
{
	stopped_threads_sort(&stopped);
	ck_assert_ptr_null(stopped_threads_find(&stopped, 1));
	ck_assert_ptr_null(stopped_threads_find(&stopped, 0));
	stopped_threads_clear(&stopped);
	stopped_threads_deinit(&stopped);
	ck_assert_uint_eq(stopped.n, 0);
}
END_TEST

/* More threads than there is room for at first, in a mixed order: 7919 is prime to 1000. */
START_TEST(test_any_order)
{
	for (int i = 0; i < 1000; i++) {
		pid_t tid = 2 + 2 * (i * 7919 % 1000);

		add(tid, (unsigned long long)tid * 3);
	}
	stopped_threads_sort(&stopped);
	ck_assert(!stopped.failed);
	ck_assert_uint_eq(stopped.n, 1000);
	for (pid_t tid = 2; tid <= 2000; tid += 2) {
		const struct stopped_thread *found = stopped_threads_find(&stopped, tid);

		ck_assert_ptr_nonnull(found);
		ck_assert_int_eq(found->tid, tid);
		ck_assert(found->has_registers);
		ck_assert_uint_eq(arch_pc(&found->registers), (unsigned long long)tid * 3);
		ck_assert_ptr_null(stopped_threads_find(&stopped, tid + 1));
	}
	ck_assert_ptr_null(stopped_threads_find(&stopped, 0));
	ck_assert_ptr_null(stopped_threads_find(&stopped, 2002));
}
END_TEST

START_TEST(test_in_order)
{
	for (pid_t tid = 1; tid <= 100; tid++)
		add(tid, 1000);
	/* There is nothing to do, and nothing happens. */
	ck_assert(!stopped.unsorted);
	stopped_threads_sort(&stopped);
	for (size_t i = 0; i < stopped.n; i++)
		ck_assert_int_eq(stopped.threads[i].tid, (pid_t)i + 1);
}
END_TEST

START_TEST(test_without_registers)
{
	add(7, 70);
	stopped_threads_add(5, NULL, &stopped);
	add(3, 30);
	stopped_threads_sort(&stopped);
	ck_assert(!stopped_threads_find(&stopped, 5)->has_registers);
	ck_assert_uint_eq(arch_pc(&stopped_threads_find(&stopped, 3)->registers), 30);
	ck_assert_uint_eq(arch_pc(&stopped_threads_find(&stopped, 7)->registers), 70);
}
END_TEST

/* The next stop has no data of the last one. */
START_TEST(test_clear)
{
	add(9, 90);
	add(8, 80);
	stopped_threads_clear(&stopped);
	ck_assert_ptr_null(stopped_threads_find(&stopped, 9));
	/* A slot that had registers before. */
	stopped_threads_add(4, NULL, &stopped);
	add(6, 60);
	stopped_threads_sort(&stopped);
	ck_assert_uint_eq(stopped.n, 2);
	ck_assert(!stopped_threads_find(&stopped, 4)->has_registers);
	ck_assert_uint_eq(arch_pc(&stopped_threads_find(&stopped, 6)->registers), 60);
	ck_assert_ptr_null(stopped_threads_find(&stopped, 8));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_standing");
	TCase *tc = tcase_create("stopped_threads");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_empty);
	tcase_add_test(tc, test_any_order);
	tcase_add_test(tc, test_in_order);
	tcase_add_test(tc, test_without_registers);
	tcase_add_test(tc, test_clear);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
