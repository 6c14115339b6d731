/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of options and their values. */
#include "args_option.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "help.h"
#include "text.h"

static struct error *parse_number_from(const char *option, const char *s, int64_t min, int64_t max, long *ret)
{
	int64_t n;

	if (!number_parse(s, min, max, &n))
		return failure_usage(NULL, "%s " NUMBER_MUST_BE ", not '%s'", option, min, max, s);
	*ret = n;
	return NULL;
}

/* From OPT_THREAD_NUM on. */
static const char *const conditions[] = {"--thread-num", "--level", "--after", "--every", "--device"};

struct error *args_parse_number(const char *option, const char *s, long max, long *ret)
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
struct error *args_parse_processes(char *list, struct args *args)
{
	for (char *rest = list, *word; (word = strsep(&rest, ","));) {
		long pid;
		/* A word that cannot be a name is a number, valid or not. */
		int is_number = !*word || *word == '-' || !word[strspn(word, "0123456789")];
		struct error *f = is_number ? args_parse_number("-p", word, INT_MAX, &pid) : NULL;

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

struct error *args_parse_option(int c, char *const *argv, struct args *args)
{
	switch (c) {
	case 'p':
		return args_parse_processes(optarg, args);
	case OPT_WAIT:
		if (!optarg[strspn(optarg, "0123456789")])
			return failure_usage("ompdctl record --wait solver", "--wait needs the name of a program");
		args->waits = 1;
		return args_parse_processes(optarg, args);
	case OPT_CHILDREN:
		args->children = 1;
		return NULL;
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
		return args_parse_number("--rate", optarg, 1000, &args->rate);
	case OPT_FORMAT:
		args->format = optarg;
		return NULL;
	case OPT_OUTPUT:
		args->output = optarg;
		return NULL;
	case OPT_SLOW:
		args->slow = 1;
		return NULL;
	case OPT_WHEN:
	case OPT_THEN:
		if (args->n_rule_words == ARGS_MAX_RULE_WORDS)
			return failure_usage("--rules FILE has more room", "too many --when and --then");
		args->rule_words[args->n_rule_words++] = (struct rule_word){c == OPT_WHEN, optarg};
		return NULL;
	case OPT_RULES:
		args->rules = optarg;
		return NULL;
	case OPT_CHECK_RULES:
		args->check_rules = 1;
		return NULL;
	case OPT_INTERVAL:
		args->interval = optarg;
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
	case OPT_DEVICE:
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
		return args_parse_number("--sample", optarg, 1000, &args->sample_ms);
	case OPT_MAX_STOP_MS:
		return args_parse_number("--max-stop-ms", optarg, 60000, &args->max_stop_ms);
	case OPT_TIMEOUT:
		return args_parse_number("--timeout", optarg, 1000000, &args->timeout_s);
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
		return args_parse_number("-n", optarg, INT_MAX, &args->count);
	case ':':
		return failure_usage(HELP_HINT, "%s needs a value", argv[optind - 1]);
	default:
		if (optopt && optopt < 256)
			return failure_usage(HELP_HINT, "unknown option -%c", optopt);
		return failure_usage(HELP_HINT, "unknown or ambiguous option %s", argv[optind - 1]);
	}
}
