/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Help texts, generated from the tables in commands.h. */
#include "help.h"

#include <string.h>

#define OPTION_COLUMN  25 /* where the help of an option starts */
#define COMMAND_COLUMN 15 /* where the summary of a command starts: longest name plus one */

static const char usage[] = "usage: ompdctl -p PID COMMAND [OPTIONS]     a process; needs no running ompdd\n"
			    "       ompdctl --core FILE COMMAND          a core file, also in gzip or zstd\n"
			    "       ompdctl -t TARGET COMMAND [OPTIONS]  a target of a running ompdd\n"
			    "       ompdctl COMMAND [ARGUMENTS]          what needs none of these\n";

static const char codes[] = "Exit codes: 0 ok, 1 ompdd answered with an error, 2 cannot connect, 3 usage.\n";

static void add_option(struct text *out, const struct option_row *option)
{
	size_t begin = out->len;

	if (option->code < 256)
		text_printf(out, "  -%c, --%s", option->code, option->name);
	else
		text_printf(out, "      --%s", option->name);
	if (option->argument)
		text_printf(out, " %s", option->argument);
	for (const char *line = option->help; *line;) {
		size_t len = strcspn(line, "\n"), used = out->len - begin;

		/* At least one blank. A long option gets a line of its own. */
		if (used >= OPTION_COLUMN) {
			text_add(out, "\n");
			used = 0;
		}
		text_add_repeated(out, " ", OPTION_COLUMN - used);
		text_add_bytes(out, line, len);
		text_add(out, "\n");
		begin = out->len;
		line += len + (line[len] == '\n');
	}
}

static void add_options(struct text *out, unsigned groups)
{
	text_add(out, "\nOptions:\n");
	for (size_t i = 0; i < n_option_rows; i++) {
		if (option_rows[i].group & groups)
			add_option(out, &option_rows[i]);
	}
}

void help_show(struct text *out)
{
	text_add(out, usage);
	text_add(out, "\nCommands:\n");
	for (size_t i = 0; i < n_command_rows; i++) {
		const struct command_row *row = &command_rows[i];

		text_printf(out, "  %-*s%s\n", COMMAND_COLUMN - 2, row->name, row->summary);
	}
	add_options(out, ~0U);
	text_add(out, "\nompdctl help COMMAND says more of one, with examples.\n");
	text_add(out, codes);
}

static void add_usage(struct text *out, const struct command_row *row)
{
	const char *sep = *row->arguments ? " " : "";
	int any = 0;

	if (row->groups & GROUP_PID && row->groups & GROUP_PRIVATE) {
		text_printf(out, "usage: ompdctl -p PID %s%s%s [OPTIONS]\n", row->name, sep, row->arguments);
		any = 1;
	}
	if (row->groups & GROUP_CORE && row->groups & GROUP_PRIVATE)
		text_printf(out, "       ompdctl --core FILE %s%s%s [OPTIONS]\n", row->name, sep, row->arguments);
	if (row->groups & GROUP_TARGET && any)
		text_printf(out, "       ompdctl -t TARGET %s%s%s [OPTIONS]\n", row->name, sep, row->arguments);
	if (row->groups & GROUP_PROGRAM && any)
		text_printf(out, "       ompdctl %s%s%s [OPTIONS] -- PROGRAM [ARGUMENTS]\n", row->name, sep,
			    row->arguments);
	if (!any)
		text_printf(out, "usage: ompdctl %s%s%s [OPTIONS]\n", row->name, sep, row->arguments);
}

void help_show_command(const struct command_row *row, struct text *out)
{
	add_usage(out, row);
	text_printf(out, "\n%s: %s.\n", row->name, row->summary);
	if (row->text)
		text_add(out, row->text);
	text_add(out, "\nExamples:\n");
	for (const char *line = row->examples; *line;) {
		size_t len = strcspn(line, "\n");

		text_add(out, "  ");
		text_add_bytes(out, line, len);
		text_add(out, "\n");
		line += len + (line[len] == '\n');
	}
	add_options(out, row->groups);
}

void help_add_takers(struct text *out, enum option_group group)
{
	size_t n = 0, seen = 0;

	for (size_t i = 0; i < n_command_rows; i++)
		n += !!(command_rows[i].groups & group);
	for (size_t i = 0; i < n_command_rows; i++) {
		if (!(command_rows[i].groups & group))
			continue;
		text_printf(out, "%s%s", !seen ? "" : seen + 1 == n ? " and " : ", ", command_rows[i].name);
		seen++;
	}
}
