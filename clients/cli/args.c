/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of the command line. */
#include "args.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "args_check.h"
#include "args_option.h"
#include "help.h"
#include "text.h"

#define DEFAULT_TIMEOUT_S 60

/* More than the option table has. */
#define MAX_OPTIONS 96

/* The option table in the form of getopt_long(). */
struct getopt_tables {
	struct option options[MAX_OPTIONS + 2];
	char letters[2 * MAX_OPTIONS + 3];
};

static void make_tables(struct getopt_tables *t)
{
	char *letter = t->letters;
	size_t n = 0;

	*letter++ = '+'; /* options end at the first other word; see find_program() */
	*letter++ = ':';
	for (; n < n_option_rows && n < MAX_OPTIONS; n++) {
		const struct option_row *row = &option_rows[n];
		int has_arg = row->argument ? required_argument : no_argument;

		t->options[n] = (struct option){row->name, has_arg, NULL, row->code};
		if (row->code >= 256)
			continue;
		*letter++ = (char)row->code;
		if (has_arg)
			*letter++ = ':';
	}
	*letter = 0;
	/* British spelling is accepted, too. */
	t->options[n++] = (struct option){"colour", required_argument, NULL, OPT_COLOUR};
	t->options[n] = (struct option){0};
}

static struct error *parse_command(const char *name, struct args *args)
{
	const struct command_row *row = command_find(name);
	const char *meant = row ? NULL : command_suggest(name);

	if (row) {
		args->command = row->command;
		return NULL;
	}
	if (!meant)
		return failure_usage(HELP_HINT, "unknown command '%s'", name);
	struct buf hint = {0};
	text_printf(&hint, "did you mean %s? %s", meant, HELP_HINT);
	struct error *f = failure_usage(hint.data, "unknown command '%s'", name);
	buf_deinit(&hint);
	return f;
}

int args_is_private(const struct args *args)
{
	if (args->command == COMMAND_PAGE)
		return 1;
	return (args->n_processes || args_chooses_process(args) || args->core ||
		(args->program && args_command_controls(args->command))) &&
	       !args->uri && args->command != COMMAND_ATTACH;
}

int args_lacks_process(const struct args *args)
{
	int needs_process = args_command_needs_target(args->command) || args->command == COMMAND_TOP ||
			    args->command == COMMAND_RECORD || args->command == COMMAND_DUMP;

	return needs_process && !args->n_processes && !args->target && !args->core;
}

int args_chooses_process(const struct args *args)
{
	return args_lacks_process(args) && !args->uri;
}

int args_command_controls(enum command command)
{
	return command == COMMAND_BREAK || command == COMMAND_STEP || command == COMMAND_SERIALIZE;
}

int args_command_takes_several(enum command command)
{
	return args_command_needs_target(command) || command == COMMAND_PAGE || command == COMMAND_WATCH;
}

int args_command_needs_target(enum command command)
{
	return command <= COMMAND_INFO;
}

/* Return whether the next word names the process: no option has named one, and the command takes one. */
static int has_process_word(int argc, char **argv, const struct args *args)
{
	int is_named = args->n_processes || args->target || args->core || args->program;

	if (optind >= argc || is_named || !(command_row(args->command)->groups & GROUP_PID) ||
	    args->command == COMMAND_CALL)
		return 0;
	/* Beside the places of break, only a number is clearly a process. */
	return args->command != COMMAND_BREAK || !argv[optind][strspn(argv[optind], "0123456789")];
}

static struct error *parse_process_word(int argc, char **argv, struct args *args)
{
	return has_process_word(argc, argv, args) ? args_parse_processes(argv[optind++], args) : NULL;
}

static struct error *parse_step(int argc, char **argv, struct args *args)
{
	for (int i = 0; optind < argc && command_steps[i]; i++) {
		if (!strcmp(argv[optind], command_steps[i]))
			args->step = command_step_kinds[i];
	}
	if (!args->step)
		return failure_usage(HELP_HINT, "step needs a kind: into, over, out or instruction");
	optind++;
	struct error *f = parse_process_word(argc, argv, args);
	if (f)
		return f;
	return optind < argc ? args_parse_number("step", argv[optind++], INT_MAX, &args->thread) : NULL;
}

/* Parse the words after the name of the command, from argv[optind] on. */
static struct error *parse_arguments(int argc, char **argv, struct args *args)
{
	struct error *f;

	if (args->command == COMMAND_CALL) {
		if (optind == argc)
			return failure_usage("rpc.discover lists the methods", "call needs a METHOD");
		args->method = argv[optind++];
		if (optind < argc)
			args->params = argv[optind++];
	}
	if (args->command == COMMAND_STEP)
		return parse_step(argc, argv, args);
	while (args->command == COMMAND_BREAK && optind < argc && args->n_places < ARGS_MAX_PLACES &&
	       !has_process_word(argc, argv, args))
		args->places[args->n_places++] = argv[optind++];
	f = parse_process_word(argc, argv, args);
	if (f)
		return f;
	if (args->command == COMMAND_COMPLETION && optind == argc)
		return failure_usage(NULL, "completion needs a shell: bash, zsh or fish");
	if (optind == argc)
		return NULL;
	switch ((int)args->command) {
	case COMMAND_TIMEOUT:
		args->duration = argv[optind++];
		return NULL;
	case COMMAND_BT:
		return args_parse_number("bt", argv[optind++], INT_MAX, &args->thread);
	case COMMAND_DETACH:
	case COMMAND_KILL:
		if (!args->target)
			args->target = argv[optind++];
		return NULL;
	case COMMAND_HELP:
	case COMMAND_COMPLETION:
		args->topic = argv[optind++];
		return NULL;
	default:
		return NULL;
	}
}

/* Move the values of letters with another meaning: -s of timeout (signal), -o of record and dump (output file). */
static void take_letters(struct args *args, int *given, size_t n_given)
{
	int is_timeout = args->command == COMMAND_TIMEOUT;
	int has_file = args->command == COMMAND_RECORD || args->command == COMMAND_DUMP;

	for (size_t i = 0; i < n_given; i++) {
		if (is_timeout && given[i] == 's') {
			given[i] = OPT_SIGNAL;
			args->signal = args->uri;
			args->uri = NULL;
		} else if (has_file && given[i] == 'o') {
			given[i] = OPT_OUTPUT;
			args->output = args->columns;
			args->columns = NULL;
		}
	}
}

static void skip_options(int argc, char **argv, const struct getopt_tables *tables)
{
	while (getopt_long(argc, argv, tables->letters, tables->options, NULL) != -1)
		;
}

/*
 * Find the program that the command line starts: the words after "--", or, for timeout, the first word after the
 * duration that is no option. Returns the number of the words before it.
 */
static int find_program(int argc, char **argv, const struct getopt_tables *tables, struct args *args)
{
	optind = opterr = 0;
	skip_options(argc, argv, tables);
	if (optind < argc && !strcmp(argv[optind], "timeout")) {
		optind++;
		skip_options(argc, argv, tables);
		if (optind < argc)
			optind++; /* the duration */
		skip_options(argc, argv, tables);
	} else {
		for (optind = 1; optind < argc && strcmp(argv[optind], "--") != 0; optind++)
			;
		optind += optind < argc; /* behind "--" */
	}
	args->program = optind < argc ? argv + optind : NULL;
	return optind;
}

struct error *args_parse(int argc, char **argv, struct args *ret)
{
	struct args args = {.timeout_s = DEFAULT_TIMEOUT_S, .conditions = {-1, -1, -1, -1, -1}};
	struct getopt_tables tables;
	int given[MAX_OPTIONS];
	size_t n_given = 0;
	struct error *f;
	int c;

	make_tables(&tables);
	argc = find_program(argc, argv, &tables, &args);
	optind = 0; /* glibc: restart, for tests that parse many times */
	opterr = 0;
	while ((c = getopt_long(argc, argv, tables.letters + 1, tables.options, NULL)) != -1) {
		if (c == 'h' || c == 'V') {
			args.command = c == 'h' ? COMMAND_HELP : COMMAND_VERSION;
			/* getopt moves non-options to the end: a command may come before the -h. */
			for (int i = 1; c == 'h' && i < argc && !args.topic; i++)
				args.topic = command_find(argv[i]) ? argv[i] : NULL;
			*ret = args;
			return NULL;
		}
		f = args_parse_option(c, argv, &args);
		if (f)
			return f;
		if (n_given < MAX_OPTIONS)
			given[n_given++] = c;
	}
	if (optind == argc)
		return failure_usage(HELP_HINT, "no command given; try ompdctl -p PID threads, or tree");
	f = parse_command(argv[optind++], &args);
	if (!f)
		ret->command = args.command;
	if (!f)
		take_letters(&args, given, n_given);
	if (!f)
		f = parse_arguments(argc, argv, &args);
	if (!f && args.command == COMMAND_HELP && args.topic && !help_has_topic(args.topic))
		f = parse_command(args.topic, &args);
	if (!f)
		f = args_check(&args, argc - optind, argv + optind);
	if (!f)
		f = args_check_groups(&args, given, n_given);
	if (f)
		return f;
	*ret = args;
	return NULL;
}
