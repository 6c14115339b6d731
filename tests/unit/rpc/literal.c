/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of rpc/literal: target ids, handles and hex words, and texts that only look like them. */
#include "check_main.h"

#include "rpc/literal.h"

START_TEST(test_hex_has_a_prefix_and_at_most_16_digits)
{
	uint64_t value = 5;

	ck_assert(literal_parse_hex("0x0", &value));
	ck_assert_uint_eq(value, 0);
	ck_assert(literal_parse_hex("0xFFFFffffFFFFffff", &value));
	ck_assert_uint_eq(value, UINT64_MAX);
	ck_assert(!literal_parse_hex("", &value));
	ck_assert(!literal_parse_hex("0", &value));
	ck_assert(!literal_parse_hex("0x", &value));
	ck_assert(!literal_parse_hex("0X1", &value));
	ck_assert(!literal_parse_hex("0x1g", &value));
	ck_assert(!literal_parse_hex("0x00000000000000001", &value));
	ck_assert(!literal_parse_hex("-0x1", &value));
	ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(test_handle_has_four_parts)
{
	ck_assert(literal_is_handle("t1:e1:par:2", NULL));
	ck_assert(literal_is_handle("t999999999:e999999999999999999:task:999999999999999999", "task"));
	ck_assert(literal_is_handle("t1:e1:r1:par:2", "par"));
	ck_assert(literal_is_handle("t1:e1:r99:task:2", NULL));
	ck_assert(!literal_is_handle("t1:e1:r0:par:2", "par"));
	ck_assert(!literal_is_handle("t1:e1:r100:par:2", "par"));
	ck_assert(!literal_is_handle("t1:e1:r:par:2", "par"));
	ck_assert(!literal_is_handle("t1:e1:r1par:2", "par"));
	ck_assert(!literal_is_handle("t1:e1:r1:", "par"));
	ck_assert(!literal_is_handle("t1:e1:par:2", "task"));
	ck_assert(!literal_is_handle("t1:e1:thread:2", NULL));
	ck_assert(!literal_is_handle("t1:e1:parx:2", NULL));
	ck_assert(!literal_is_handle("t1:e1:par:", NULL));
	ck_assert(!literal_is_handle("t1:e1:par", NULL));
	ck_assert(!literal_is_handle("t1:e1", NULL));
	ck_assert(!literal_is_handle("t1:e:par:1", NULL));
	ck_assert(!literal_is_handle("t1", NULL));
	ck_assert(!literal_is_handle("t", NULL));
	ck_assert(!literal_is_handle("", NULL));
	ck_assert(!literal_is_handle("t1:e1:par:-1", NULL));
	ck_assert(!literal_is_handle("t1:e1:par:1000000000000000000", NULL));
	ck_assert(!literal_is_handle("t1:e1000000000000000000:par:1", NULL));
}
END_TEST

START_TEST(test_target_id_is_t_and_a_number)
{
	ck_assert(literal_is_target_id("t1"));
	ck_assert(literal_is_target_id("t999999999"));
	ck_assert(!literal_is_target_id("t0"));
	ck_assert(!literal_is_target_id("t01"));
	ck_assert(!literal_is_target_id("t1234567890"));
	ck_assert(!literal_is_target_id("t1 "));
	ck_assert(!literal_is_target_id("t1:e1"));
	ck_assert(!literal_is_target_id("x1"));
	ck_assert(!literal_is_target_id("t"));
	ck_assert(!literal_is_target_id(""));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/literal");
	TCase *tc = tcase_create("literal");

	tcase_add_test(tc, test_hex_has_a_prefix_and_at_most_16_digits);
	tcase_add_test(tc, test_handle_has_four_parts);
	tcase_add_test(tc, test_target_id_is_t_and_a_number);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
