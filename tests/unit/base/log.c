/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/log: one line per message, whatever the message contains. */
#include "check_main.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char output[8192];
static int saved_stderr, pipe_fds[2];

static void setup(void)
{
	ck_assert_int_eq(pipe2(pipe_fds, O_NONBLOCK), 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(pipe_fds[1], STDERR_FILENO);
}

static void teardown(void)
{
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	log_set_level(LOG_WARN);
}

/* Returns the text logged since the last call. */
static const char *logged(void)
{
	ssize_t n = read(pipe_fds[0], output, sizeof(output) - 1);

	output[n > 0 ? n : 0] = '\0';
	return output;
}

START_TEST(test_log_shows_warnings_but_not_info_by_default)
{
	log_info("hidden");
	ck_assert_str_eq(logged(), "");
	log_warn("seen %d", 1);
	ck_assert_str_eq(logged(), "warn: seen 1\n");
}
END_TEST

START_TEST(test_log_level_debug_shows_all)
{
	log_set_level(LOG_DEBUG);
	log_debug("x");
	ck_assert_str_eq(logged(), "debug: x\n");
}
END_TEST

START_TEST(test_log_escapes_control_characters)
{
	log_error("a\nb\x1b[31m\x7f");
	ck_assert_str_eq(logged(), "error: a\\x0ab\\x1b[31m\\x7f\n");
	/* CSI as one byte, and a mark that changes the direction of the text after it. */
	log_error("\x9b"
		  "31m\xe2\x80\xae");
	ck_assert_str_eq(logged(), "error: \\x9b31m\\xe2\\x80\\xae\n");
}
END_TEST

START_TEST(test_log_cuts_long_lines)
{
	char text[4000];

	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_error("%s", text);
	size_t n = strlen(logged());
	ck_assert_uint_lt(n, 2200);
	ck_assert_int_eq(output[n - 1], '\n');
	ck_assert_ptr_eq(strchr(output, '\n'), output + n - 1);
}
END_TEST

START_TEST(test_log_err_appends_the_message)
{
	struct error *err = error_create(ERR_PARSE_ERROR, "why");

	log_err(LOG_WARN, err, "conn %d", 4);
	ck_assert_str_eq(logged(), "warn: conn 4: why\n");
	error_destroy(err);
}
END_TEST

START_TEST(test_log_level_parse_knows_four_names)
{
	enum log_level level = LOG_ERROR;

	ck_assert(log_level_parse("debug", &level));
	ck_assert_int_eq(level, LOG_DEBUG);
	ck_assert(!log_level_parse("loud", &level));
	ck_assert_int_eq(level, LOG_DEBUG);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/log");
	TCase *tc = tcase_create("log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_log_shows_warnings_but_not_info_by_default);
	tcase_add_test(tc, test_log_level_debug_shows_all);
	tcase_add_test(tc, test_log_escapes_control_characters);
	tcase_add_test(tc, test_log_cuts_long_lines);
	tcase_add_test(tc, test_log_err_appends_the_message);
	tcase_add_test(tc, test_log_level_parse_knows_four_names);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
