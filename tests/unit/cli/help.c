/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of clients/cli/help.c and completion.c, for every row of the tables in commands.c. */
#include "help.h"

#include <string.h>

#include "check_main.h"

static void assert_fits(const char *text)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		ck_assert_msg(len <= 80, "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

START_TEST(test_help_names_every_command_and_option_in_80_columns)
{
	struct text out = {0};

	help_show(&out);
	assert_fits(out.data);
	for (size_t i = 0; i < n_command_rows; i++) {
		const char *summary = strstr(out.data, command_rows[i].summary);

		ck_assert_msg(summary && summary[-1] == ' ', "%s", command_rows[i].name);
	}
	for (size_t i = 0; i < n_option_rows; i++)
		ck_assert_msg(strstr(out.data, option_rows[i].name), "--%s", option_rows[i].name);
	text_deinit(&out);
}
END_TEST

START_TEST(test_help_of_a_command_has_its_options_and_examples)
{
	const struct command_row *row = &command_rows[_i];
	struct text out = {0};

	help_show_command(row, &out);
	assert_fits(out.data);
	ck_assert_ptr_nonnull(strstr(out.data, "Examples:\n  ompdctl "));
	for (size_t i = 0; i < n_option_rows; i++) {
		struct text option = {0};

		text_printf(&option, "--%s", option_rows[i].name);
		/* Texts of other commands may name --mode. */
		if (option_rows[i].group & row->groups)
			ck_assert_msg(strstr(out.data, option.data), "%s: %s", row->name, option.data);
		text_deinit(&option);
	}
	text_deinit(&out);
}
END_TEST

START_TEST(test_help_leaves_out_what_a_command_does_not_take)
{
	struct text out = {0};

	help_show_command(command_find("targets"), &out);
	ck_assert_ptr_null(strstr(out.data, "--pid"));
	ck_assert_ptr_null(strstr(out.data, "--logical"));
	text_deinit(&out);
	help_add_takers(&out, GROUP_LOGICAL);
	ck_assert_str_eq(out.data, "bt, break and step");
	text_deinit(&out);
}
END_TEST

START_TEST(test_completions_know_every_command_and_option)
{
	static const char *const shells[] = {"bash", "zsh", "fish"};
	struct text out = {0};

	ck_assert(completion_show(shells[_i], &out));
	for (size_t i = 0; i < n_command_rows; i++)
		ck_assert_msg(strstr(out.data, command_rows[i].name), "%s", command_rows[i].name);
	for (size_t i = 0; i < n_option_rows; i++)
		ck_assert_msg(strstr(out.data, option_rows[i].name), "%s", option_rows[i].name);
	text_deinit(&out);
	ck_assert(!completion_show("tcsh", &out));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("help");
	TCase *help = tcase_create("help"), *completion = tcase_create("completion");

	tcase_add_test(help, test_help_names_every_command_and_option_in_80_columns);
	tcase_add_loop_test(help, test_help_of_a_command_has_its_options_and_examples, 0, (int)n_command_rows);
	tcase_add_test(help, test_help_leaves_out_what_a_command_does_not_take);
	suite_add_tcase(suite, help);
	tcase_add_loop_test(completion, test_completions_know_every_command_and_option, 0, 3);
	suite_add_tcase(suite, completion);
	return check_main(suite);
}
