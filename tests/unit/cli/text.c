/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/text.c and of the JSON that format.c prints. */
#include "text.h"

#include <json-c/json.h>
#include <string.h>

#include "check_main.h"
#include "format.h"

static void assert_safe(const char *s, int utf8, const char *expected)
{
	struct buf t = {0};

	text_add_safe(&t, s, utf8);
	text_add(&t, "");
	ck_assert_str_eq(t.data, expected);
	buf_deinit(&t);
}

START_TEST(test_text_control_characters_are_escaped)
{
	assert_safe("plain ~ text", 1, "plain ~ text");
	assert_safe("\033[2J\n\t\r\007\177", 1, "\\x1b[2J\\x0a\\x09\\x0d\\x07\\x7f");
	assert_safe("\302\233"
		    "31m",
		    1, "\\u{9b}31m");
	assert_safe("a\342\200\256b", 1, "a\\u{202e}b");
	assert_safe("\342\200\250", 1, "\\u{2028}");
}
END_TEST

START_TEST(test_text_bytes_that_are_not_utf8_are_escaped)
{
	assert_safe("\377\300\257", 1, "\\xff\\xc0\\xaf");
	assert_safe("\303", 1, "\\xc3");
	assert_safe("\355\240\200", 1, "\\xed\\xa0\\x80");	    /* a surrogate */
	assert_safe("\364\220\200\200", 1, "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
	assert_safe("\340\200\257", 1, "\\xe0\\x80\\xaf");	    /* overlong */
}
END_TEST

START_TEST(test_text_umlauts_stay_only_on_a_utf8_terminal)
{
	assert_safe("\303\274ber", 1, "\303\274ber");
	assert_safe("\303\274ber", 0, "\\u{fc}ber");
}
END_TEST

START_TEST(test_text_fit_never_cuts_a_character)
{
	ck_assert_uint_eq(text_fit("\303\274\303\274", 1), 2);
	ck_assert_uint_eq(text_fit("abc", 10), 3);
	ck_assert_uint_eq(text_fit("abc", 0), 0);
	ck_assert_uint_eq(text_width("\303\274x"), 2);
}
END_TEST

START_TEST(test_text_colour_only_where_the_style_has_it)
{
	struct style style = {.colour = 1};
	struct buf t = {0};

	text_add_coloured(&t, &style, COLOUR_RED, "a");
	style.colour = 0;
	text_add_coloured(&t, &style, COLOUR_RED, "b");
	ck_assert_str_eq(t.data, "\033[31ma\033[0mb");
	buf_deinit(&t);
}
END_TEST

static void assert_value(const char *json, int verbose, const char *expected)
{
	struct style style = {.utf8 = 1, .verbose = verbose};
	struct json_object *value = json_tokener_parse(json);
	char *text = format_value_string(&style, value);

	ck_assert_str_eq(text, expected);
	free(text);
	json_object_put(value);
}

START_TEST(test_format_values)
{
	assert_value("5", 0, "5");
	assert_value("\"a\\u001bb\"", 0, "a\\x1bb");
	assert_value("true", 0, "yes");
	assert_value("[1,\"x\"]", 0, "1, x");
	assert_value("[]", 0, "none");
	assert_value("{\"address\":\"0x55\",\"symbol\":\"main\"}", 0, "main");
	assert_value("null", 0, "-");
}
END_TEST

START_TEST(test_format_a_missing_field_says_why_when_verbose)
{
	assert_value("{\"rc\":\"ompd_rc_unavailable\"}", 0, "-");
	assert_value("{\"rc\":\"ompd_rc_unavailable\"}", 1, "- (unavailable)");
	assert_value("{\"rc\":\"x\\u001b\"}", 1, "- (x\\x1b)");
}
END_TEST

START_TEST(test_format_json_is_one_line_without_control_characters)
{
	struct json_object *value = json_object_new_string("a\n\177\302\233\303\274/");
	struct buf t = {0};

	format_json(&t, value, 0);
	ck_assert_str_eq(t.data, "\"a\\n\\u007f\\u009b\303\274/\"\n");
	buf_deinit(&t);
	json_object_put(value);
}
END_TEST

static void assert_duration(int64_t us, const char *expected)
{
	struct style style = {0};
	struct buf t = {0};

	format_duration(&t, &style, us);
	ck_assert_str_eq(t.data, expected);
	buf_deinit(&t);
}

START_TEST(test_format_durations)
{
	assert_duration(212, "212 us");
	assert_duration(9999, "9999 us");
	assert_duration(12345, "12.3 ms");
	assert_duration(2100000, "2.1 s");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("text");
	TCase *text = tcase_create("text");
	TCase *format = tcase_create("format");

	tcase_add_test(text, test_text_control_characters_are_escaped);
	tcase_add_test(text, test_text_bytes_that_are_not_utf8_are_escaped);
	tcase_add_test(text, test_text_umlauts_stay_only_on_a_utf8_terminal);
	tcase_add_test(text, test_text_fit_never_cuts_a_character);
	tcase_add_test(text, test_text_colour_only_where_the_style_has_it);
	suite_add_tcase(suite, text);
	tcase_add_test(format, test_format_values);
	tcase_add_test(format, test_format_a_missing_field_says_why_when_verbose);
	tcase_add_test(format, test_format_json_is_one_line_without_control_characters);
	tcase_add_test(format, test_format_durations);
	suite_add_tcase(suite, format);
	return check_main(suite);
}
