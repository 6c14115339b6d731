/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of target/standing.c: the list of stopped threads. */
#include "target/standing.h"

#include "check_main.h"
#include "target/arch.h"

static struct standing standing;

static void teardown(void)
{
	standing_deinit(&standing);
}

static void add(pid_t tid, unsigned long long pc)
{
	struct arch_registers registers = {0};

	arch_set_pc(&registers, pc);
	standing_add(tid, &registers, &standing);
}

START_TEST(test_empty)
{
	standing_sort(&standing);
	ck_assert_ptr_null(standing_find(&standing, 1));
	ck_assert_ptr_null(standing_find(&standing, 0));
	standing_clear(&standing);
	standing_deinit(&standing);
	ck_assert_uint_eq(standing.n, 0);
}
END_TEST

/* More threads than there is room for at first, in a mixed order: 7919 is prime to 1000. */
START_TEST(test_any_order)
{
	for (int i = 0; i < 1000; i++) {
		pid_t tid = 2 + 2 * (i * 7919 % 1000);

		add(tid, (unsigned long long)tid * 3);
	}
	standing_sort(&standing);
	ck_assert(!standing.failed);
	ck_assert_uint_eq(standing.n, 1000);
	for (pid_t tid = 2; tid <= 2000; tid += 2) {
		const struct standing_thread *found = standing_find(&standing, tid);

		ck_assert_ptr_nonnull(found);
		ck_assert_int_eq(found->tid, tid);
		ck_assert(found->has_registers);
		ck_assert_uint_eq(arch_pc(&found->registers), (unsigned long long)tid * 3);
		ck_assert_ptr_null(standing_find(&standing, tid + 1));
	}
	ck_assert_ptr_null(standing_find(&standing, 0));
	ck_assert_ptr_null(standing_find(&standing, 2002));
}
END_TEST

START_TEST(test_in_order)
{
	for (pid_t tid = 1; tid <= 100; tid++)
		add(tid, 1000);
	/* There is nothing to do, and nothing happens. */
	ck_assert(!standing.unsorted);
	standing_sort(&standing);
	for (size_t i = 0; i < standing.n; i++)
		ck_assert_int_eq(standing.threads[i].tid, (pid_t)i + 1);
}
END_TEST

START_TEST(test_without_registers)
{
	add(7, 70);
	standing_add(5, NULL, &standing);
	add(3, 30);
	standing_sort(&standing);
	ck_assert(!standing_find(&standing, 5)->has_registers);
	ck_assert_uint_eq(arch_pc(&standing_find(&standing, 3)->registers), 30);
	ck_assert_uint_eq(arch_pc(&standing_find(&standing, 7)->registers), 70);
}
END_TEST

/* The next stop has no data of the last one. */
START_TEST(test_clear)
{
	add(9, 90);
	add(8, 80);
	standing_clear(&standing);
	ck_assert_ptr_null(standing_find(&standing, 9));
	/* A slot that had registers before. */
	standing_add(4, NULL, &standing);
	add(6, 60);
	standing_sort(&standing);
	ck_assert_uint_eq(standing.n, 2);
	ck_assert(!standing_find(&standing, 4)->has_registers);
	ck_assert_uint_eq(arch_pc(&standing_find(&standing, 6)->registers), 60);
	ck_assert_ptr_null(standing_find(&standing, 8));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("target_standing");
	TCase *tc = tcase_create("standing");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_empty);
	tcase_add_test(tc, test_any_order);
	tcase_add_test(tc, test_in_order);
	tcase_add_test(tc, test_without_registers);
	tcase_add_test(tc, test_clear);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
