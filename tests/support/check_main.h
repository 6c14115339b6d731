/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Common parts of every Check program: running one suite, and assertions on struct error. */
#ifndef OMPDD_SUPPORT_CHECK_MAIN_H
#define OMPDD_SUPPORT_CHECK_MAIN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Run @suite and return the exit status of the test program. */
static inline int check_main(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * End a test case that this machine cannot run; @why is a word or two. Check has no skipped cases:
 * tests/support/list_skips.py parses the line, which has the form of pytest.
 */
#define CHECK_SKIP(why)                                                                                                \
	do {                                                                                                           \
		printf("SKIPPED [1] %s:%d: %s\n", __FILE__, __LINE__, (why));                                          \
		fflush(stdout);                                                                                        \
		return;                                                                                                \
	} while (0)

/* Assert that an expression of type struct error * is a success. Needs base/error.h. */
#define ck_assert_no_err(expr)                                                                                         \
	do {                                                                                                           \
		struct error *ck_err = (expr);                                                                         \
		ck_assert_msg(!ck_err, "unexpected error: %s", ck_err ? ck_err->message : "");                         \
	} while (0)

/* Assert failure with exactly this enum error_code. */
#define ck_assert_err(expr, error_code)                                                                                \
	do {                                                                                                           \
		struct error *ck_err = (expr);                                                                         \
		ck_assert_msg(ck_err != NULL, "expected an error, got none");                                          \
		ck_assert_msg(ck_err->code == (error_code), "wrong error %s: %s", error_name(ck_err),                  \
			      ck_err->message);                                                                        \
		error_destroy(ck_err);                                                                                 \
	} while (0)

#endif
