/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of rpc/json_grammar: where a text stops being JSON, and its number of members. message_text.c has the invalid
 * texts.
 */
#include "check_main.h"

#include <stdlib.h>
#include <string.h>

#include "rpc/json_grammar.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
	const char *text;
	size_t n_members;
} members[] = {
	{"1", 0},
	{" [ ] ", 0},
	{"{}", 0},
	{"[{},{\"a\":1},{\"a\":1}]", 2},
	{"{\"a\":{\"b\":[{\"c\":\"d:e\"}]}}", 3},
	{"{\"a\":1,\"a\":1,\"\\u0061\":1}", 3},
};

START_TEST(test_members_are_counted_as_written)
{
	size_t n = 99;

	ck_assert_no_err(json_grammar_check(members[_i].text, strlen(members[_i].text), &n, NULL));
	ck_assert_uint_eq(n, members[_i].n_members);
}
END_TEST

static const struct {
	const char *text;
	size_t offset;
} wrong[] = {
	{"", 0},
	{"[1, x]", 4},
	{"[1,]", 3},
	{"{\"a\" 1}", 5},
	{"{\"a\":1,}", 7},
	{"[1 2]", 3},
	{"{} {}", 3},
	{"[[1]", 4},
	{"[1}", 2},
	{"\"ab\\qc\"", 3},
	{"[-]", 1},
	{"\"a\tb\"", 2},
	{"[18446744073709551616]", 1},
	{"\"\\ud800\"", 1},
	{"\"\xc3\xa9\" \"", 5},
};

START_TEST(test_offset_is_where_it_goes_wrong)
{
	size_t n = 99;
	struct error *err = json_grammar_check(wrong[_i].text, strlen(wrong[_i].text), &n, NULL);

	ck_assert_msg(err != NULL, "accepted: %s", wrong[_i].text);
	ck_assert_str_eq(err->details[1].key, "offset");
	ck_assert_msg((size_t)atoi(err->details[1].value) == wrong[_i].offset, "%s: byte %s, not %zu", wrong[_i].text,
		      err->details[1].value, wrong[_i].offset);
	ck_assert_err(err, ERR_PARSE_ERROR);
	ck_assert_uint_eq(n, 99);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc/json_grammar");
	TCase *tc = tcase_create("json_grammar_check");

	tcase_add_loop_test(tc, test_members_are_counted_as_written, 0, COUNT(members));
	tcase_add_loop_test(tc, test_offset_is_where_it_goes_wrong, 0, COUNT(wrong));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
