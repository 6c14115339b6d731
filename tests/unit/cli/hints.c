/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tests of cli/hints.c: the daemon's hints in the form of the command line, for every error and for some special hints.
 */
#include "hints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check_main.h"

/* Checks that a hint has no words that are valid only in JSON. */
static void assert_typed(const char *hint, const char *typed)
{
	static const char *const words[] = {"\"",	    "max_stop_ms", "debug_dirs", "stop_at",
					    "max_frames\"", "mode \"",	   "of env"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		ck_assert_msg(!strstr(typed, words[i]), "%s: %s", hint, typed);
	/* Method names such as "target.list" appear only where they can be typed in this form. */
	for (const char *dot = strchr(typed, '.'); dot; dot = strchr(dot + 1, '.')) {
		const char *begin = dot;

		while (begin > typed && islower((unsigned char)begin[-1]))
			begin--;
		if (begin == dot || !islower((unsigned char)dot[1]) || !strncmp(begin, "kernel.", 7) ||
		    !strncmp(dot, ".md", 3))
			continue;
		/* A path. */
		if (begin > typed && begin[-1] == '/')
			continue;
		ck_assert_msg(begin - typed >= 13 && !strncmp(begin - 13, "ompdctl call ", 13), "%s: %s", hint, typed);
	}
}

/* Commands with -t refuse the options of attaching. */
static void assert_for_attached(const char *hint)
{
	static const char *const options[] = {"-m ", "--max-stop-ms", "--debug-dir"};
	char *typed = hints_translate(hint, false, true);

	assert_typed(hint, typed);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const char *option = strstr(typed, options[i]), *attach = strstr(typed, "attach");

		ck_assert_msg(!option || (attach && attach < option), "%s: %s", hint, typed);
	}
	free(typed);
}

static void assert_translation(const char *hint, bool is_private, const char *expected)
{
	char *typed = hints_translate(hint, is_private, false);

	if (expected)
		ck_assert_str_eq(typed, expected);
	assert_typed(hint, typed);
	free(typed);
	assert_for_attached(hint);
}

START_TEST(test_hints_of_all_errors_can_be_typed)
{
	/* ompdctl writes these parts of the protocol itself, so that its user needs no hint for these errors. */
	static const char *const of_protocol[] = {"parse_error", "invalid_request", "not_stopped"};
	static const struct {
		const char *name, *hint;
	} errors[] = {
#define X(ident, number, name, hint) {name, hint},
		ERROR_CODES(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		int skipped = 0;

		for (size_t j = 0; j < sizeof(of_protocol) / sizeof(*of_protocol); j++)
			skipped |= !strcmp(errors[i].name, of_protocol[j]);
		if (skipped)
			continue;
		assert_translation(errors[i].hint, 0, NULL);
		assert_translation(errors[i].hint, 1, NULL);
	}
}
END_TEST

START_TEST(test_hints_of_their_own)
{
	assert_translation("ask again, or attach with mode \"stop\"", 0, "ask again, or use -m stop");
	assert_translation("only a process, attached with mode \"stop\", can be stopped and resumed", 0,
			   "only a process, attached with -m stop, can be stopped and resumed");
	assert_translation("give the core here; the program that it is of is \"exe\" (ompdctl --exe)", 0,
			   "give the core here; the program that it is of is --exe FILE");
	assert_translation("compile with -g, or name the folder of separate debug files in debug_dirs; or set the "
			   "breakpoint at a function",
			   0,
			   "compile with -g, or name the folder of separate debug files with --debug-dir DIR; or set "
			   "the breakpoint at a function");
	assert_translation("start the program with it: target.launch with stop_at \"ompd_dll_locations_valid\"", 0,
			   "start the program with it: ompdctl break ompd_dll_locations_valid -- PROGRAM");
	assert_translation("task.list shows that task; stack.get without logical shows the thread's own frames", 0,
			   "ompdctl tasks shows that task; bt without --logical shows the thread's own frames");
}
END_TEST

START_TEST(test_hints_know_a_target_that_is_attached)
{
	char *typed = hints_translate("thaw the group, or attach with mode \"observe\"", false, true);

	ck_assert_str_eq(typed, "thaw the group, or attach again: ompdctl attach -p PID -m observe");
	free(typed);
}
END_TEST

START_TEST(test_hints_know_who_started_ompdd)
{
	assert_translation("run ompdd as uid 1000, or as root", 0, "run ompdd as uid 1000, or as root");
	assert_translation("run ompdd as uid 1000, or as root", 1, "run ompdctl as uid 1000, or as root");
	assert_translation("", 1, "");
	assert_translation("what no table has", 1, "what no table has");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hints");
	TCase *tc = tcase_create("translate");

	tcase_add_test(tc, test_hints_of_all_errors_can_be_typed);
	tcase_add_test(tc, test_hints_of_their_own);
	tcase_add_test(tc, test_hints_know_a_target_that_is_attached);
	tcase_add_test(tc, test_hints_know_who_started_ompdd);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}
