/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of the command line. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "args_check.h"
#include "help.h"
#include "text.h"

#define DEFAULT_TIMEOUT_S 60

/* More than the option table has. */
#define MAX_OPTIONS 64

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

static struct error *parse_number_from(const char *option, const char *s, long min, long max, long *ret)
{
	char *end;

	errno = 0;
	long n = strtol(s, &end, 10);
	if (errno || *end || end == s || n < min || n > max)
		return failure_usage(NULL, "%s needs a number from %ld to %ld, not '%s'", option, min, max, s);
	*ret = n;
	return NULL;
}

/* From OPT_THREAD_NUM on. */
static const char *const conditions[] = {"--thread-num", "--level", "--after", "--every"};

static struct error *parse_number(const char *option, const char *s, long max, long *ret)
{
	return parse_number_from(option, s, 1, max, ret);
}

static struct error *parse_seconds(const char *s, double *ret)
{
	char *end;
	double n = strtod(s, &end);

	if (end == s || *end || !(n > 0) || !(n <= 604800))
		return failure_usage(NULL, "-d needs seconds, such as 0.1 or 30, not '%s'", s);
	*ret = n;
	return NULL;
}

static struct error *add_daemon_option(struct args *args, const char *option, const char *value)
{
	if (args->n_daemon_options + 2 > ARGS_MAX_DAEMON_OPTIONS)
		return failure_usage(NULL, "too many %s", option);
	args->daemon_options[args->n_daemon_options++] = option;
	args->daemon_options[args->n_daemon_options++] = value;
	return NULL;
}

static struct error *parse_colour(const char *when, struct args *args)
{
	if (!strcmp(when, "always"))
		args->colour = COLOUR_ALWAYS;
	else if (!strcmp(when, "never"))
		args->colour = COLOUR_NEVER;
	else if (!strcmp(when, "auto"))
		args->colour = COLOUR_AUTO;
	else
		return failure_usage(NULL, "--color needs auto, always or never, not '%s'", when);
	return NULL;
}

/* Parse -p 12, -p a.out, -p 12,13. processes.c finds these processes later. */
static struct error *parse_processes(char *list, struct args *args)
{
	for (char *rest = list, *word; (word = strsep(&rest, ","));) {
		long pid;
		/* A word that cannot be a name is a number, valid or not. */
		int is_number = !*word || *word == '-' || !word[strspn(word, "0123456789")];
		struct error *f = is_number ? parse_number("-p", word, INT_MAX, &pid) : NULL;

		if (f)
			return f;
		if (args->n_processes == ARGS_MAX_PIDS)
			return failure_usage(NULL, "more than %d processes", ARGS_MAX_PIDS);
		args->processes[args->n_processes++] = word;
	}
	return NULL;
}

/* For options that name files. */
static struct error *parse_path(int c, struct args *args)
{
	if (!*optarg)
		return failure_usage(HELP_HINT, "an empty path is not a file");
	if (c >= OPT_STDIN && c <= OPT_STDERR)
		args->files[c - OPT_STDIN] = optarg;
	else if (c == OPT_CWD)
		args->cwd = optarg;
	else if (c == OPT_CORE)
		args->core = optarg;
	else if (c == OPT_EXE)
		args->exe = optarg;
	else if (c == OPT_SYSROOT)
		args->sysroot = optarg;
	else if (args->n_debug_dirs == ARGS_MAX_DEBUG_DIRS)
		return failure_usage(NULL, "too many --debug-dir");
	else
		args->debug_dirs[args->n_debug_dirs++] = optarg;
	return NULL;
}

static struct error *parse_option(int c, char *const *argv, struct args *args)
{
	switch (c) {
	case 'p':
		return parse_processes(optarg, args);
	case 'o':
		if (!*optarg)
			return failure_usage(NULL, "-o needs names of columns: NAME,NAME");
		args->columns = optarg;
		return NULL;
	case 'u':
		args->user = optarg;
		return NULL;
	case 'd':
		return parse_seconds(optarg, &args->seconds);
	case OPT_RATE:
		return parse_number("--rate", optarg, 1000, &args->rate);
	case OPT_FORMAT:
		args->format = optarg;
		return NULL;
	case OPT_OUTPUT:
		args->output = optarg;
		return NULL;
	case OPT_SLOW:
		args->slow = 1;
		return NULL;
	case OPT_ONCE:
		args->once = 1;
		return NULL;
	case 'k':
		args->kill_after = optarg;
		return NULL;
	case OPT_SIGNAL:
		args->signal = optarg;
		return NULL;
	case OPT_FOREGROUND:
		args->foreground = 1;
		return NULL;
	case OPT_PRESERVE_STATUS:
		args->preserve_status = 1;
		return NULL;
	case OPT_REPORT:
		args->report = optarg;
		return NULL;
	case OPT_NAME:
	case OPT_RUNTIME:
	case OPT_RANK:
	case OPT_JOB:
	case OPT_CGROUP:
		args->filters[c - OPT_NAME] = optarg;
		return NULL;
	case OPT_THREAD_NUM:
	case OPT_LEVEL:
	case OPT_AFTER:
	case OPT_EVERY:
		return parse_number_from(conditions[c - OPT_THREAD_NUM], optarg, c == OPT_EVERY, INT_MAX,
					 &args->conditions[c - OPT_THREAD_NUM]);
	/* ompdctl-cluster parses these itself. */
	case OPT_NODES:
	case OPT_ENGINE:
	case OPT_REMOTE_OMPDCTL:
	case OPT_KIND:
	case OPT_NODE_NAME:
	case OPT_VIEW:
		return NULL;
	case OPT_REGION:
		args->region = optarg;
		return NULL;
	case OPT_FULL_NAMES:
		args->full_names = 1;
		return NULL;
	case OPT_NO_HEADERS:
		args->no_headers = 1;
		return NULL;
	case 't':
		args->target = optarg;
		return NULL;
	case 's':
		args->uri = optarg;
		return NULL;
	case 'm':
		if (strcmp(optarg, "observe") && strcmp(optarg, "stop"))
			return failure_usage(NULL, "--mode needs observe or stop, not '%s'", optarg);
		args->mode = optarg;
		return NULL;
	case 'j':
		args->json = 1;
		return NULL;
	case OPT_PRETTY:
		args->json = args->pretty = 1;
		return NULL;
	case 'a':
		args->all = 1;
		return NULL;
	case 'l':
		args->logical = 1;
		return NULL;
	case 'v':
		args->verbose = 1;
		return NULL;
	case OPT_TOKEN_FILE:
		args->token_file = optarg;
		return NULL;
	case OPT_SAMPLE:
		return parse_number("--sample", optarg, 1000, &args->sample_ms);
	case OPT_MAX_STOP_MS:
		return parse_number("--max-stop-ms", optarg, 60000, &args->max_stop_ms);
	case OPT_TIMEOUT:
		return parse_number("--timeout", optarg, 1000000, &args->timeout_s);
	case OPT_OMPDD:
		args->ompdd = optarg;
		return NULL;
	case OPT_LIBOMPD:
		return add_daemon_option(args, "--libompd", optarg);
	case OPT_PLUGIN_DIR:
		return add_daemon_option(args, "--plugin-dir", optarg);
	case OPT_COLOUR:
		return parse_colour(optarg, args);
	case OPT_CORE:
	case OPT_EXE:
	case OPT_SYSROOT:
	case OPT_DEBUG_DIR:
	case OPT_CWD:
	case OPT_STDIN:
	case OPT_STDOUT:
	case OPT_STDERR:
		return parse_path(c, args);
	case 'n':
		return parse_number("-n", optarg, INT_MAX, &args->count);
	case ':':
		return failure_usage(HELP_HINT, "%s needs a value", argv[optind - 1]);
	default:
		if (optopt && optopt < 256)
			return failure_usage(HELP_HINT, "unknown option -%c", optopt);
		return failure_usage(HELP_HINT, "unknown or ambiguous option %s", argv[optind - 1]);
	}
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
			    args->command == COMMAND_RECORD;

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
	return has_process_word(argc, argv, args) ? parse_processes(argv[optind++], args) : NULL;
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
	return optind < argc ? parse_number("step", argv[optind++], INT_MAX, &args->thread) : NULL;
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
		return parse_number("bt", argv[optind++], INT_MAX, &args->thread);
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

/* Move the values of letters with another meaning: -s of timeout (signal), -o of record (output file). */
static void take_letters(struct args *args, int *given, size_t n_given)
{
	int is_timeout = args->command == COMMAND_TIMEOUT, is_record = args->command == COMMAND_RECORD;

	for (size_t i = 0; i < n_given; i++) {
		if (is_timeout && given[i] == 's') {
			given[i] = OPT_SIGNAL;
			args->signal = args->uri;
			args->uri = NULL;
		} else if (is_record && given[i] == 'o') {
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
	struct args args = {.timeout_s = DEFAULT_TIMEOUT_S, .conditions = {-1, -1, -1, -1}};
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
		f = parse_option(c, argv, &args);
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
