/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/error: the contents of an error, and the table of codes. */
#include "check_main.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

START_TEST(test_error_create_has_code_message_and_default_hint)
{
	struct error *err = error_create(ERR_NO_SUCH_PROCESS, "no process %d", 42);

	ck_assert_str_eq(err->message, "no process 42");
	ck_assert_str_eq(error_name(err), "no_such_process");
	ck_assert_int_eq(error_number(err), 1000);
	ck_assert_uint_gt(strlen(error_hint_text(err)), 0);
	error_destroy(err);
}
END_TEST

START_TEST(test_error_every_code_has_a_default_hint)
{
	struct error *err = error_create(_i, "x");

	ck_assert_msg(*error_hint_text(err), "%s has none", error_name(err));
	error_destroy(err);
}
END_TEST

START_TEST(test_error_hint_replaces_the_default)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "x");

	err = error_hint(err, "first");
	err = error_hint(err, "use %s", "that");
	ck_assert_str_eq(error_hint_text(err), "use that");
	error_destroy(err);
}
END_TEST

START_TEST(test_error_detail_beyond_the_limit_is_dropped)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "x");

	for (int i = 0; i < ERROR_MAX_DETAILS + 3; i++)
		err = error_detail(err, "key", "%d", i);
	ck_assert_int_eq(err->n_details, ERROR_MAX_DETAILS);
	ck_assert_str_eq(err->details[ERROR_MAX_DETAILS - 1].value, "7");
	error_destroy(err);
}
END_TEST

START_TEST(test_error_wrap_prefixes_the_message)
{
	struct error *err = error_wrap(error_create(ERR_PARSE_ERROR, "inner"), "outer %d", 1);

	ck_assert_str_eq(err->message, "outer 1: inner");
	error_destroy(err);
}
END_TEST

START_TEST(test_error_ompd_number_and_name_are_those_of_the_rc)
{
	struct error *err = error_create_ompd(6, "ompd_get_state");

	ck_assert(error_is(err, ERR_OMPD));
	ck_assert_int_eq(error_number(err), 2006);
	ck_assert_str_eq(error_name(err), "ompd_rc_needs_state_tracking");
	ck_assert_str_eq(err->message, "ompd_get_state returned ompd_rc_needs_state_tracking");
	error_destroy(err);
}
END_TEST

START_TEST(test_error_ompd_rc_name_out_of_range_is_unknown)
{
	ck_assert_str_eq(error_ompd_rc_name(0), "ompd_rc_ok");
	ck_assert_str_eq(error_ompd_rc_name(13), "ompd_rc_incompatible_handle");
	ck_assert_str_eq(error_ompd_rc_name(14), "ompd_rc_unknown");
	ck_assert_str_eq(error_ompd_rc_name(-1), "ompd_rc_unknown");
}
END_TEST

START_TEST(test_error_errno_has_its_text)
{
	struct error *err = error_create_errno(ENOENT, "open %s", "/x");

	ck_assert_str_eq(err->message, "open /x: No such file or directory");
	ck_assert(error_is(err, ERR_INTERNAL_ERROR));
	error_destroy(err);
}
END_TEST

START_TEST(test_error_catch_takes_only_its_code)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "x");

	ck_assert(!error_catch(&err, ERR_NO_SUCH_TARGET));
	ck_assert_ptr_nonnull(err);
	ck_assert(error_catch(&err, ERR_PARSE_ERROR));
	ck_assert_ptr_null(err);
	ck_assert(!error_catch(&err, ERR_PARSE_ERROR));
}
END_TEST

START_TEST(test_error_nomem_survives_everything)
{
	struct error *err = &error_nomem;

	ck_assert_ptr_eq(error_hint(err, "x"), err);
	ck_assert_ptr_eq(error_detail(err, "k", "v"), err);
	ck_assert_ptr_eq(error_wrap(err, "x"), err);
	error_destroy(err);
	ck_assert_str_eq(err->message, "out of memory");
	ck_assert_int_eq(err->n_details, 0);
	ck_assert_uint_gt(strlen(error_hint_text(err)), 0);
}
END_TEST

START_TEST(test_error_destroy_null_is_fine)
{
	error_destroy(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/error");
	TCase *tc = tcase_create("error");

	tcase_add_test(tc, test_error_create_has_code_message_and_default_hint);
	tcase_add_loop_test(tc, test_error_every_code_has_a_default_hint, 0, ERR_OMPD);
	tcase_add_test(tc, test_error_hint_replaces_the_default);
	tcase_add_test(tc, test_error_detail_beyond_the_limit_is_dropped);
	tcase_add_test(tc, test_error_wrap_prefixes_the_message);
	tcase_add_test(tc, test_error_ompd_number_and_name_are_those_of_the_rc);
	tcase_add_test(tc, test_error_ompd_rc_name_out_of_range_is_unknown);
	tcase_add_test(tc, test_error_errno_has_its_text);
	tcase_add_test(tc, test_error_catch_takes_only_its_code);
	tcase_add_test(tc, test_error_nomem_survives_everything);
	tcase_add_test(tc, test_error_destroy_null_is_fine);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
