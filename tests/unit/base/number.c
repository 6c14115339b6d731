/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/number: digits only, limits that hold, and nothing changed by a refusal. */
#include "check_main.h"

#include <stdio.h>

#include "base/number.h"

#define UNTOUCHED INT64_C(-7)

static const struct {
	const char *text;
	int64_t min, max, value; /* UNTOUCHED: refused */
} rows[] = {
	{"0", 0, 10, 0},
	{"10", 0, 10, 10},
	{"007", 1, 10, 7},
	{"11", 0, 10, UNTOUCHED},
	{"0", 1, 10, UNTOUCHED},
	{"", 0, 10, UNTOUCHED},
	{"-1", 0, 10, UNTOUCHED},
	{"+1", 0, 10, UNTOUCHED},
	{" 1", 0, 10, UNTOUCHED},
	{"1 ", 0, 10, UNTOUCHED},
	{"1x", 0, 10, UNTOUCHED},
	{"0x1", 0, 10, UNTOUCHED},
	{"1.5", 0, 10, UNTOUCHED},
	{"9223372036854775807", 0, INT64_MAX, INT64_MAX},
	{"9223372036854775808", 0, INT64_MAX, UNTOUCHED},
	{"92233720368547758070", 0, INT64_MAX, UNTOUCHED},
	{"00000000000000000000000000000001", 0, 1, 1},
};

START_TEST(test_number_parse)
{
	int64_t n = UNTOUCHED;

	ck_assert_int_eq(number_parse(rows[_i].text, rows[_i].min, rows[_i].max, &n), rows[_i].value != UNTOUCHED);
	ck_assert_int_eq(n, rows[_i].value);
}
END_TEST

START_TEST(test_number_skip_moves_behind_the_digits)
{
	const char text[] = "12-345,", *p = text;
	int64_t n = 0;

	ck_assert(number_skip(&p, 345, &n));
	ck_assert_int_eq(n, 12);
	ck_assert_ptr_eq(p, text + 2);
	ck_assert(!number_skip(&p, 345, &n));
	ck_assert_ptr_eq(p, text + 2);
	p++;
	ck_assert(!number_skip(&p, 344, &n));
	ck_assert_ptr_eq(p, text + 3);
	ck_assert_int_eq(n, 12);
	ck_assert(number_skip(&p, 345, &n));
	ck_assert_int_eq(n, 345);
	ck_assert_str_eq(p, ",");
}
END_TEST

START_TEST(test_number_must_be)
{
	char text[64];

	snprintf(text, sizeof(text), "--rate " NUMBER_MUST_BE, INT64_C(1), INT64_C(1000));
	ck_assert_str_eq(text, "--rate must be a number from 1 to 1000");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/number");
	TCase *tc = tcase_create("number");

	tcase_add_loop_test(tc, test_number_parse, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tc, test_number_skip_moves_behind_the_digits);
	tcase_add_test(tc, test_number_must_be);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
