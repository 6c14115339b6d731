/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of openmp/model/handle/handle_name: names of handles in both directions, and invalid names. */
#include "check_main.h"

#include <string.h>

#include "openmp/model/handle/handle_name.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

START_TEST(test_name_is_read_as_it_was_written)
{
	char text[HANDLE_NAME_SIZE];
	struct handle_name name;
	size_t len = handle_name_write("t999999999", INT64_MAX, HANDLE_MAX_RUNTIMES - 1, (enum handle_kind)_i,
				       UINT32_MAX, text);

	ck_assert_uint_eq(len, strlen(text));
	ck_assert(handle_name_parse(text, &name));
	ck_assert_uint_eq(name.epoch, INT64_MAX);
	ck_assert_uint_eq(name.runtime, HANDLE_MAX_RUNTIMES - 1);
	ck_assert_int_eq(name.kind, _i);
	ck_assert_uint_eq(name.number, UINT32_MAX);
}
END_TEST

START_TEST(test_name_has_four_parts)
{
	char text[HANDLE_NAME_SIZE];

	handle_name_write("t1", 14, 0, HANDLE_PARALLEL, 3, text);
	ck_assert_str_eq(text, "t1:e14:par:3");
	handle_name_write("t1", 14, 2, HANDLE_PARALLEL, 3, text);
	ck_assert_str_eq(text, "t1:e14:r2:par:3");
}
END_TEST

static const char *const wrong[] = {
	"",
	"t",
	"t1",
	"t1:e1",
	"t1:e1:r0:par:1",
	"t1:e1:r100:par:1",
	"t1:e1:r:par:1",
	"t1:e1:r1par:1",
	"t1:e1:par",
	"t1:e1:par:",
	"t1:e1:par:x",
	"t1:e1:par:3 ",
	"t1:e1:par:03",
	"t01:e1:par:3",
	"t1:e01:par:3",
	"t1:1:par:3",
	"t1:e1:team:3",
	"t1:e1:parx:3",
	"t1:e1:par:-3",
	"T1:e1:par:3",
	"t1000000000:e1:par:3",
	"t1:e9223372036854775808:par:3",
	"t1:e1:par:9223372036854775808",
	"t1:e1:par:99999999999999999999",
};

START_TEST(test_other_texts_are_none)
{
	struct handle_name name = {.number = 77};

	ck_assert_msg(!handle_name_parse(wrong[_i], &name), "%s is read as a handle", wrong[_i]);
	ck_assert_uint_eq(name.number, 77);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("openmp/model/handle/handle_name");
	TCase *tc = tcase_create("handle_name");

	tcase_add_loop_test(tc, test_name_is_read_as_it_was_written, 0, HANDLE_KINDS);
	tcase_add_test(tc, test_name_has_four_parts);
	tcase_add_loop_test(tc, test_other_texts_are_none, 0, COUNT(wrong));
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
