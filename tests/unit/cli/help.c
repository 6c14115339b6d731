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

START_TEST(test_help_overview_fits_one_screen)
{
	struct buf out = {0};
	size_t lines = 0;

	help_show(&out);
	assert_fits(out.data);
	for (const char *end = out.data; (end = strchr(end, '\n')); end++)
		lines++;
	ck_assert_uint_le(lines, 24);
	for (size_t i = 0; i < n_command_rows; i++) {
		struct buf name = {0};

		text_printf(&name, " %s", command_rows[i].name);
		ck_assert_msg(strstr(out.data, name.data), "%s", command_rows[i].name);
		buf_deinit(&name);
	}
	buf_deinit(&out);
}
END_TEST

START_TEST(test_help_topics_name_every_command_and_option)
{
	struct buf out = {0};

	help_show_topic("commands", &out);
	assert_fits(out.data);
	for (size_t i = 0; i < n_command_rows; i++) {
		const char *summary = strstr(out.data, command_rows[i].summary);

		ck_assert_msg(summary && summary[-1] == ' ', "%s", command_rows[i].name);
	}
	buf_deinit(&out);
	help_show_topic("options", &out);
	assert_fits(out.data);
	for (size_t i = 0; i < n_option_rows; i++)
		ck_assert_msg(strstr(out.data, option_rows[i].name), "--%s", option_rows[i].name);
	for (const struct exit_code_row *row = exit_code_rows; row->meaning; row++)
		ck_assert_ptr_nonnull(strstr(out.data, row->meaning));
	buf_deinit(&out);
}
END_TEST

START_TEST(test_help_of_a_command_has_its_options_and_examples)
{
	const struct command_row *row = &command_rows[_i];
	struct buf out = {0};

	help_show_topic(row->name, &out);
	assert_fits(out.data);
	ck_assert_ptr_nonnull(strstr(out.data, "Examples:\n  ompdctl "));
	for (size_t i = 0; i < n_option_rows; i++) {
		struct buf option = {0};

		text_printf(&option, "--%s ", option_rows[i].name);
		/* Options that few commands take; texts of commands may name the others. */
		if (option_rows[i].argument &&
		    option_rows[i].group & row->groups & (GROUP_RECORD | GROUP_LIMIT | GROUP_FILTER))
			ck_assert_msg(strstr(out.data, option.data), "%s: %s", row->name, option.data);
		buf_deinit(&option);
	}
	buf_deinit(&out);
}
END_TEST

START_TEST(test_help_leaves_out_what_a_command_does_not_take)
{
	struct buf out = {0};

	help_show_topic("targets", &out);
	ck_assert_ptr_null(strstr(out.data, "--pid"));
	ck_assert_ptr_null(strstr(out.data, "--logical"));
	ck_assert_ptr_null(strstr(out.data, "--token-file"));
	ck_assert_ptr_nonnull(strstr(out.data, "ompdctl help options"));
	buf_deinit(&out);
	help_add_takers(&out, GROUP_LOGICAL);
	ck_assert_str_eq(out.data, "bt, break and step");
	buf_deinit(&out);
}
END_TEST

START_TEST(test_completions_know_every_command_and_option)
{
	static const char *const shells[] = {"bash", "zsh", "fish"};
	struct buf out = {0};

	ck_assert(completion_show(shells[_i], &out));
	for (size_t i = 0; i < n_command_rows; i++)
		ck_assert_msg(strstr(out.data, command_rows[i].name), "%s", command_rows[i].name);
	for (size_t i = 0; i < n_option_rows; i++)
		ck_assert_msg(strstr(out.data, option_rows[i].name), "%s", option_rows[i].name);
	buf_deinit(&out);
	ck_assert(!completion_show("tcsh", &out));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("help");
	TCase *help = tcase_create("help"), *completion = tcase_create("completion");

	tcase_add_test(help, test_help_overview_fits_one_screen);
	tcase_add_test(help, test_help_topics_name_every_command_and_option);
	tcase_add_loop_test(help, test_help_of_a_command_has_its_options_and_examples, 0, (int)n_command_rows);
	tcase_add_test(help, test_help_leaves_out_what_a_command_does_not_take);
	suite_add_tcase(suite, help);
	tcase_add_loop_test(completion, test_completions_know_every_command_and_option, 0, 3);
	suite_add_tcase(suite, completion);
	return check_main(suite);
}
