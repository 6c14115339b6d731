/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Help texts, generated from the tables in commands.h. */
#include "help.h"

#include <string.h>

#define OPTION_COLUMN  25 /* where the help of an option starts */
#define COMMAND_COLUMN 15 /* where the summary of a command starts: longest name plus one */
#define SECTION_COLUMN 12 /* where the commands of a section start */

static const char usage[] = "usage: ompdctl COMMAND [PID|NAME]  a process; default: your only OpenMP process\n"
			    "       ompdctl COMMAND --core FILE a core file, also gzip or zstd\n"
			    "       ompdctl COMMAND -t TARGET   a target of a running ompdd\n";

/* The commands by purpose. */
static const struct section {
	const char *title;
	enum command commands[9];
	size_t n;
} sections[] = {
	{"Look",
	 {COMMAND_PS, COMMAND_TREE, COMMAND_THREADS, COMMAND_TASKS, COMMAND_ICVS, COMMAND_DEVICES, COMMAND_BT,
	  COMMAND_SNAPSHOT, COMMAND_INFO},
	 9},
	{"Explain", {COMMAND_WHY, COMMAND_TIMEOUT, COMMAND_DUMP, COMMAND_WATCH}, 4},
	{"Measure", {COMMAND_TOP, COMMAND_RECORD, COMMAND_NODE_METRICS}, 3},
	{"Control", {COMMAND_BREAK, COMMAND_STEP, COMMAND_SERIALIZE, COMMAND_LAUNCH, COMMAND_KILL}, 5},
	{"Serve",
	 {COMMAND_PAGE, COMMAND_ATTACH, COMMAND_DETACH, COMMAND_TARGETS, COMMAND_EVENTS, COMMAND_CALL,
	  COMMAND_NODE_SUMMARY, COMMAND_MERGE},
	 8},
	{"Help", {COMMAND_HELP, COMMAND_COMPLETION}, 2},
};
#define N_SECTIONS (sizeof(sections) / sizeof(*sections))

/* Options that many commands take: `ompdctl help options` explains them. */
#define SHARED                                                                                                         \
	(GROUP_PID | GROUP_CORE | GROUP_TARGET | GROUP_LOOK | GROUP_PRIVATE | GROUP_SERVER | GROUP_JSON | GROUP_SHOW | \
	 GROUP_HELP | GROUP_PATIENCE)

/* The options that most users need. */
static const int main_options[] = {OPT_CORE, 'm', 'j', 'v', 'h'};

static void add_option(struct buf *out, const struct option_row *option)
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

static void add_options(struct buf *out, unsigned groups)
{
	size_t n = 0;

	for (size_t i = 0; i < n_option_rows; i++) {
		if (!(option_rows[i].group & groups))
			continue;
		text_add(out, n++ ? "" : "\nOptions:\n");
		add_option(out, &option_rows[i]);
	}
}

/* Append the names of a section's commands, in lines of at most 80 columns. */
static void add_names(struct buf *out, const struct section *section)
{
	size_t begin = out->len;

	text_printf(out, "  %-*s", SECTION_COLUMN - 2, section->title);
	for (size_t i = 0; i < section->n; i++) {
		const char *name = command_row(section->commands[i])->name;

		if (out->len - begin + strlen(", ,") + strlen(name) > 80) {
			text_add(out, ",\n");
			begin = out->len;
			text_add_repeated(out, " ", SECTION_COLUMN);
		} else if (i) {
			text_add(out, ", ");
		}
		text_add(out, name);
	}
	text_add(out, "\n");
}

void help_show(struct buf *out)
{
	text_add(out, usage);
	text_add(out, "\n");
	for (size_t i = 0; i < N_SECTIONS; i++)
		add_names(out, &sections[i]);
	text_add(out, "\n");
	for (size_t i = 0; i < sizeof(main_options) / sizeof(*main_options); i++)
		add_option(out, option_row(main_options[i]));
	text_add(out, "\nompdctl help COMMAND    explains a command, with its options and examples\n"
		      "ompdctl help commands   a line for each command\n"
		      "ompdctl help options    all options and exit codes\n");
}

static void show_commands(struct buf *out)
{
	text_add(out, usage);
	for (size_t i = 0; i < N_SECTIONS; i++) {
		text_printf(out, "\n%s:\n", sections[i].title);
		for (size_t k = 0; k < sections[i].n; k++) {
			const struct command_row *row = command_row(sections[i].commands[k]);

			text_printf(out, "  %-*s%s\n", COMMAND_COLUMN - 2, row->name, row->summary);
		}
	}
}

static void show_options(struct buf *out)
{
	text_add(out, usage);
	add_options(out, ~0U);
	text_add(out, "\nExit codes:\n");
	for (const struct exit_code_row *row = exit_code_rows; row->meaning; row++)
		text_printf(out, "  %d  %s\n", row->code, row->meaning);
}

static void add_usage(struct buf *out, const struct command_row *row)
{
	const char *sep = *row->arguments ? " " : "";
	int any = 0;

	if (row->groups & GROUP_PID && row->groups & GROUP_PRIVATE) {
		/* Without arguments of its own, the command takes the process as its argument. */
		text_printf(out,
			    *row->arguments ? "usage: ompdctl %s%s%s -p PID [OPTIONS]\n"
					    : "usage: ompdctl %s%s%s [PID|NAME] [OPTIONS]\n",
			    row->name, sep, row->arguments);
		any = 1;
	}
	if (row->groups & GROUP_CORE && row->groups & GROUP_PRIVATE)
		text_printf(out, "       ompdctl %s%s%s --core FILE [OPTIONS]\n", row->name, sep, row->arguments);
	if (row->groups & GROUP_TARGET && any)
		text_printf(out, "       ompdctl %s%s%s -t TARGET [OPTIONS]\n", row->name, sep, row->arguments);
	if (row->groups & GROUP_PROGRAM && any)
		text_printf(out, "       ompdctl %s%s%s [OPTIONS] -- PROGRAM [ARGUMENTS]\n", row->name, sep,
			    row->arguments);
	if (!any)
		text_printf(out, "usage: ompdctl %s%s%s [OPTIONS]\n", row->name, sep, row->arguments);
}

static void show_command(const struct command_row *row, struct buf *out)
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
	add_options(out, row->groups & ~(unsigned)SHARED);
	if (row->groups & (SHARED & ~(unsigned)GROUP_HELP))
		text_add(out, "\nompdctl help options   the options that many commands take: -m, --json, -v, ...\n");
}

int help_has_topic(const char *topic)
{
	return !strcmp(topic, "commands") || !strcmp(topic, "options") || command_find(topic);
}

void help_show_topic(const char *topic, struct buf *out)
{
	if (!strcmp(topic, "commands"))
		show_commands(out);
	else if (!strcmp(topic, "options"))
		show_options(out);
	else
		show_command(command_find(topic), out);
}

void help_add_takers(struct buf *out, enum option_group group)
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
