/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libompd's cache of the target's memory, and its lifetime. */
#include "memo.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "check_main.h"

static char one, other;
#define ONE   ((ompd_address_space_context_t *)&one)
#define OTHER ((ompd_address_space_context_t *)&other)

static const uint8_t bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void setup(void)
{
	memo_end_view();
	memo_begin_call();
}

START_TEST(test_a_part_of_what_is_known_is_known)
{
	uint8_t got[16];

	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	ck_assert(memo_find(ONE, 0x1004, 3, got));
	ck_assert_mem_eq(got, bytes + 4, 3);
	ck_assert(memo_find(ONE, 0x100f, 1, got));
	ck_assert_uint_eq(got[0], 15);
	ck_assert(!memo_find(ONE, 0x100f, 2, got));
	ck_assert(!memo_find(ONE, 0xfff, 2, got));
	ck_assert(!memo_find(ONE, 0x1000, SIZE_MAX, got));
	ck_assert(!memo_find(ONE, UINT64_MAX, 2, got));
}
END_TEST

START_TEST(test_the_next_call_knows_nothing)
{
	uint8_t got[16];

	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	memo_begin_call();
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
}
END_TEST

START_TEST(test_a_view_lasts_until_it_ends)
{
	uint8_t got[16];

	memo_add(ONE, 0x2000, sizeof(bytes), bytes);
	memo_begin_view(ONE);
	ck_assert(!memo_find(ONE, 0x2000, 1, got));
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	memo_begin_call();
	ck_assert(memo_find(ONE, 0x1000, 16, got));
	memo_begin_view(ONE);
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	memo_forget();
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	memo_end_view();
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	memo_begin_call();
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
}
END_TEST

START_TEST(test_a_moment_is_one_view)
{
	ck_assert_uint_eq(memo_moment(ONE), 0);
	memo_begin_view(ONE);
	uint64_t first = memo_moment(ONE);
	ck_assert_uint_ne(first, 0);
	memo_begin_call();
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	ck_assert_uint_eq(memo_moment(ONE), first);
	ck_assert_uint_eq(memo_moment(OTHER), 0);
	/* as after a write to the target */
	memo_forget();
	uint64_t second = memo_moment(ONE);
	ck_assert_uint_gt(second, first);
	memo_end_view();
	ck_assert_uint_eq(memo_moment(ONE), 0);
	memo_begin_view(ONE);
	ck_assert_uint_gt(memo_moment(ONE), second);
	memo_end_view();
}
END_TEST

START_TEST(test_processes_are_told_apart)
{
	uint8_t got[16];

	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	ck_assert(!memo_find(OTHER, 0x1000, 1, got));
	memo_begin_view(ONE);
	memo_add(OTHER, 0x1000, sizeof(bytes), bytes);
	ck_assert(!memo_find(OTHER, 0x1000, 1, got));
	ck_assert(!memo_find(ONE, 0x1000, 1, got));
}
END_TEST

START_TEST(test_what_was_used_last_stays)
{
	uint8_t got[16];

	memo_begin_view(ONE);
	memo_add(ONE, 0x1000, sizeof(bytes), bytes);
	for (uint64_t i = 2; i < 1000; i++) {
		memo_add(ONE, i << 12, sizeof(bytes), bytes);
		ck_assert(memo_find(ONE, 0x1000, 16, got));
		ck_assert(memo_find(ONE, i << 12, 16, got));
	}
	ck_assert(!memo_find(ONE, 0x2000, 1, got));
}
END_TEST

START_TEST(test_long_pieces_are_left_out)
{
	static uint8_t large[1 << 16];

	memo_begin_view(ONE);
	memo_add(ONE, 0x1000, sizeof(large), large);
	ck_assert(!memo_find(ONE, 0x1000, 1, large));
	memo_add(ONE, 0x1000, 0, large);
	ck_assert(!memo_find(ONE, 0x1000, 1, large));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memo");
	TCase *tcase = tcase_create("memo");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_a_part_of_what_is_known_is_known);
	tcase_add_test(tcase, test_the_next_call_knows_nothing);
	tcase_add_test(tcase, test_a_view_lasts_until_it_ends);
	tcase_add_test(tcase, test_a_moment_is_one_view);
	tcase_add_test(tcase, test_processes_are_told_apart);
	tcase_add_test(tcase, test_what_was_used_last_stays);
	tcase_add_test(tcase, test_long_pieces_are_left_out);
	suite_add_tcase(suite, tcase);
	return check_main(suite);
}
