/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/buf: bytes come out in the order in which they went in, and memory is freed. */
#include "check_main.h"

#include <string.h>

#include "base/buf.h"

START_TEST(test_buf_zeroes_are_an_empty_buffer)
{
	struct buf b = {0};

	ck_assert_ptr_null(buf_head(&b));
	ck_assert_no_err(buf_append(&b, NULL, 0));
	ck_assert_uint_eq(b.len, 0);
	buf_deinit(&b);
}
END_TEST

START_TEST(test_buf_append_keeps_order_across_growth)
{
	struct buf b = {0};

	for (int i = 0; i < 10000; i++) {
		unsigned char c = (unsigned char)i;

		ck_assert_no_err(buf_append(&b, &c, 1));
	}
	ck_assert_uint_eq(b.len, 10000);
	for (int i = 0; i < 10000; i++)
		ck_assert_uint_eq((unsigned char)buf_head(&b)[i], (unsigned char)i);
	buf_deinit(&b);
}
END_TEST

START_TEST(test_buf_consume_drops_from_the_front)
{
	struct buf b = {0};

	ck_assert_no_err(buf_append(&b, "hello world", 11));
	buf_consume(&b, 6);
	ck_assert_uint_eq(b.len, 5);
	ck_assert_mem_eq(buf_head(&b), "world", 5);
	ck_assert_no_err(buf_append(&b, "!", 1));
	ck_assert_mem_eq(buf_head(&b), "world!", 6);
	buf_deinit(&b);
}
END_TEST

START_TEST(test_buf_reserve_moves_the_rest_to_the_front)
{
	struct buf b = {0};
	char block[400];
	char *where;

	memset(block, 'a', sizeof(block));
	ck_assert_no_err(buf_append(&b, block, sizeof(block)));
	buf_consume(&b, 399);
	size_t cap = b.cap;
	ck_assert_no_err(buf_reserve(&b, cap - 2, &where));
	ck_assert_uint_eq(b.cap, cap);
	memset(where, 'b', cap - 2);
	buf_commit(&b, cap - 2);
	ck_assert_uint_eq(b.len, cap - 1);
	ck_assert_int_eq(buf_head(&b)[0], 'a');
	ck_assert_int_eq(buf_head(&b)[cap - 2], 'b');
	ck_assert_int_eq(buf_head(&b)[cap - 1], '\0');
	buf_deinit(&b);
}
END_TEST

START_TEST(test_buf_consume_all_of_a_large_one_frees_it)
{
	struct buf b = {0};
	char *where;

	ck_assert_no_err(buf_reserve(&b, 1 << 20, &where));
	buf_commit(&b, 1 << 20);
	buf_consume(&b, 1 << 20);
	ck_assert_ptr_null(b.data);
	ck_assert_uint_eq(b.cap, 0);
	buf_deinit(&b);
}
END_TEST

START_TEST(test_buf_printf_appends_a_terminated_text)
{
	struct buf b = {0};

	ck_assert_no_err(buf_printf(&b, "%s", ""));
	ck_assert_str_eq(buf_head(&b), "");
	for (int i = 0; i < 1000; i++)
		ck_assert_no_err(buf_printf(&b, "%03d,", i));
	ck_assert_uint_eq(b.len, 4000);
	ck_assert_str_eq(buf_head(&b) + 3992, "998,999,");
	buf_consume(&b, 3996);
	ck_assert_str_eq(buf_head(&b), "999,");
	ck_assert_no_err(buf_append(&b, "end", 3));
	ck_assert_str_eq(buf_head(&b), "999,end");
	buf_deinit(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/buf");
	TCase *tc = tcase_create("buf");

	tcase_add_test(tc, test_buf_zeroes_are_an_empty_buffer);
	tcase_add_test(tc, test_buf_append_keeps_order_across_growth);
	tcase_add_test(tc, test_buf_consume_drops_from_the_front);
	tcase_add_test(tc, test_buf_reserve_moves_the_rest_to_the_front);
	tcase_add_test(tc, test_buf_consume_all_of_a_large_one_frees_it);
	tcase_add_test(tc, test_buf_printf_appends_a_terminated_text);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
