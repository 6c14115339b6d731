/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/utf8: valid UTF-8, and the escapes of all other bytes. */
#include "check_main.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
	const char *text;
	const char *escaped; /* NULL: already valid */
} rows[] = {
	{"", NULL},
	{"plain", NULL},
	{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL},
	{"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", NULL},
	{"\xed\x9f\xbf\xee\x80\x80", NULL},
	{"\x80", "\\x80"},
	{"\xc0\x80", "\\xc0\\x80"},
	{"\xc1\xbf", "\\xc1\\xbf"},
	{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
	{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	{"\xf5", "\\xf5"},
	{"\xff", "\\xff"},
	{"a\xc3", "a\\xc3"},
	{"\xe2\x82", "\\xe2\\x82"},
	{"\xe2\x82x", "\\xe2\\x82x"},
	{"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
	{"\xc3\xc3\xa9", "\\xc3\xc3\xa9"},
};

START_TEST(test_utf8_is_valid)
{
	ck_assert_int_eq(utf8_is_valid(rows[_i].text, strlen(rows[_i].text)), rows[_i].escaped == NULL);
}
END_TEST

START_TEST(test_utf8_escape_makes_it_valid)
{
	char *escaped = utf8_escape(rows[_i].text);

	ck_assert_str_eq(escaped, rows[_i].escaped ? rows[_i].escaped : rows[_i].text);
	ck_assert(utf8_is_valid(escaped, strlen(escaped)));
	free(escaped);
}
END_TEST

START_TEST(test_utf8_decode_returns_the_character)
{
	uint32_t c = 7;

	ck_assert_uint_eq(utf8_decode("A", UTF8_MAX_SEQUENCE, &c), 1);
	ck_assert_uint_eq(c, 'A');
	ck_assert_uint_eq(utf8_decode("\xc3\xa9", UTF8_MAX_SEQUENCE, &c), 2);
	ck_assert_uint_eq(c, 0xe9);
	ck_assert_uint_eq(utf8_decode("\xe2\x82\xac", UTF8_MAX_SEQUENCE, &c), 3);
	ck_assert_uint_eq(c, 0x20ac);
	ck_assert_uint_eq(utf8_decode("\xf0\x9f\x98\x80", UTF8_MAX_SEQUENCE, &c), 4);
	ck_assert_uint_eq(c, 0x1f600);
	ck_assert_uint_eq(utf8_decode("\xe2\x82\xac", 2, &c), 0);
	ck_assert_uint_eq(utf8_decode("\xe2\x82", UTF8_MAX_SEQUENCE, &c), 0);
	ck_assert_uint_eq(c, 0x1f600);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/utf8");
	TCase *tc = tcase_create("utf8");
	int n = (int)(sizeof(rows) / sizeof(rows[0]));

	tcase_add_loop_test(tc, test_utf8_is_valid, 0, n);
	tcase_add_loop_test(tc, test_utf8_escape_makes_it_valid, 0, n);
	tcase_add_test(tc, test_utf8_decode_returns_the_character);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
