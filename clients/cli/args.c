/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of the command line. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TIMEOUT_S 60

const char args_help[] =
	"usage: ompdctl -p PID COMMAND [OPTIONS]     a process; needs no running ompdd\n"
	"       ompdctl --core FILE COMMAND          a core file, also in gzip or zstd\n"
	"       ompdctl -t TARGET COMMAND [OPTIONS]  a target of a running ompdd\n"
	"       ompdctl targets | attach -p PID | attach --core FILE | detach -t TARGET\n"
	"       ompdctl call METHOD ['JSON']\n"
	"\n"
	"Commands:\n"
	"  threads     the threads: state, team and region, what they wait for\n"
	"  tree        regions, teams, threads and tasks as a tree\n"
	"  tasks       the tasks and where they come from\n"
	"  icvs        the control variables, of the process and of its tasks\n"
	"  bt [TID]    the call stacks, of all threads or of one; equal ones once\n"
	"  snapshot    all of it (with --json: the result of snapshot.get)\n"
	"  info        what is known of the process and its OpenMP runtime\n"
	"  targets     what a running ompdd is attached to\n"
	"  attach      attach a running ompdd to a process, or let it open a core\n"
	"  detach      let go of a target\n"
	"  call        call any method; the params are a JSON object, or - to read it\n"
	"              from stdin; with -p or -t, their member \"target\" is filled in\n"
	"\n"
	"Options:\n"
	"  -p, --pid PID          the process\n"
	"      --core FILE        the core file\n"
	"      --exe FILE         its program, where it is not where the core says\n"
	"      --sysroot DIR      the files of the core's machine, when it was another\n"
	"      --debug-dir DIR    separate debug files, as in /usr/lib/debug\n"
	"  -t, --target TARGET    a target of a running ompdd, like t1\n"
	"  -s, --server URI       the running ompdd, unix:PATH or tcp:HOST:PORT; default:\n"
	"                         $OMPDD_URI, else $XDG_RUNTIME_DIR/ompdd/ompdd.sock\n"
	"      --token-file FILE  its token, for tcp: (default: $OMPDD_TOKEN_FILE)\n"
	"  -m, --mode MODE        observe: do not stop the process, so the picture may be\n"
	"                         torn; stop (default): stop it while its state is read,\n"
	"                         mostly for less than a millisecond\n"
	"      --max-stop-ms N    never stop the process for longer than this\n"
	"      --timeout SECONDS  give up when ompdd does not answer (default 60)\n"
	"      --ompdd PATH       the ompdd to start (else beside ompdctl, or in $PATH)\n"
	"      --libompd PATH     passed on to the ompdd that is started\n"
	"      --plugin-dir DIR   passed on to the ompdd that is started\n"
	"  -j, --json             print the result object alone, on one line\n"
	"      --pretty           the same, indented\n"
	"  -a, --all              one line for each thread, however alike they are;\n"
	"                         bt: one stack for each\n"
	"  -l, --logical          bt: leave the runtime out, go on from regions and tasks\n"
	"                         to where they were met or generated, on any stack\n"
	"  -v, --verbose          say why a value is missing; show the log of ompdd\n"
	"      --color WHEN       auto, always or never\n"
	"  -h, --help             this text\n"
	"  -V, --version          the version\n"
	"\n"
	"A ~ marks a state that was inferred: from what the thread waits for in the\n"
	"kernel, or from where its program counter is.\n"
	"Exit codes: 0 ok, 1 ompdd answered with an error, 2 cannot connect, 3 usage.\n";

static const struct {
	const char *name;
	enum command command;
} commands[] = {
	{"threads", COMMAND_THREADS}, {"tree", COMMAND_TREE},	      {"tasks", COMMAND_TASKS},
	{"icvs", COMMAND_ICVS},	      {"snapshot", COMMAND_SNAPSHOT}, {"info", COMMAND_INFO},
	{"call", COMMAND_CALL},	      {"targets", COMMAND_TARGETS},   {"attach", COMMAND_ATTACH},
	{"detach", COMMAND_DETACH},   {"help", COMMAND_HELP},	      {"bt", COMMAND_BT},
};

enum {
	OPT_TOKEN_FILE = 256,
	OPT_MAX_STOP_MS,
	OPT_TIMEOUT,
	OPT_OMPDD,
	OPT_LIBOMPD,
	OPT_PLUGIN_DIR,
	OPT_PRETTY,
	OPT_COLOUR,
	OPT_CORE,
	OPT_EXE,
	OPT_SYSROOT,
	OPT_DEBUG_DIR,
};

static const struct option options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"target", required_argument, NULL, 't'},
	{"server", required_argument, NULL, 's'},
	{"mode", required_argument, NULL, 'm'},
	{"json", no_argument, NULL, 'j'},
	{"all", no_argument, NULL, 'a'},
	{"logical", no_argument, NULL, 'l'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{"token-file", required_argument, NULL, OPT_TOKEN_FILE},
	{"max-stop-ms", required_argument, NULL, OPT_MAX_STOP_MS},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"ompdd", required_argument, NULL, OPT_OMPDD},
	{"libompd", required_argument, NULL, OPT_LIBOMPD},
	{"plugin-dir", required_argument, NULL, OPT_PLUGIN_DIR},
	{"pretty", no_argument, NULL, OPT_PRETTY},
	{"color", required_argument, NULL, OPT_COLOUR},
	{"colour", required_argument, NULL, OPT_COLOUR},
	{"core", required_argument, NULL, OPT_CORE},
	{"exe", required_argument, NULL, OPT_EXE},
	{"sysroot", required_argument, NULL, OPT_SYSROOT},
	{"debug-dir", required_argument, NULL, OPT_DEBUG_DIR},
	{0},
};

static const char see_help[] = "ompdctl --help lists the commands and options";

static struct failure *parse_number(const char *option, const char *s, long max, long *ret)
{
	char *end;

	errno = 0;
	long n = strtol(s, &end, 10);
	if (errno || *end || end == s || n < 1 || n > max)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "%s wants a number from 1 to %ld, not '%s'", option, max, s);
	*ret = n;
	return NULL;
}

static struct failure *add_daemon_option(struct args *args, const char *option, const char *value)
{
	if (args->n_daemon_options + 2 > ARGS_MAX_DAEMON_OPTIONS)
		return failure_create(EXIT_USAGE, "usage", NULL, "too many %s", option);
	args->daemon_options[args->n_daemon_options++] = option;
	args->daemon_options[args->n_daemon_options++] = value;
	return NULL;
}

static struct failure *parse_colour(const char *when, struct args *args)
{
	if (!strcmp(when, "always"))
		args->colour = COLOUR_ALWAYS;
	else if (!strcmp(when, "never"))
		args->colour = COLOUR_NEVER;
	else if (!strcmp(when, "auto"))
		args->colour = COLOUR_AUTO;
	else
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "--color is auto, always or never, not '%s'", when);
	return NULL;
}

/* For the four options of cores. */
static struct failure *parse_path(int c, struct args *args)
{
	if (!*optarg)
		return failure_create(EXIT_USAGE, "usage", see_help, "an empty path names no file");
	if (c == OPT_CORE)
		args->core = optarg;
	else if (c == OPT_EXE)
		args->exe = optarg;
	else if (c == OPT_SYSROOT)
		args->sysroot = optarg;
	else if (args->n_debug_dirs == ARGS_MAX_DEBUG_DIRS)
		return failure_create(EXIT_USAGE, "usage", NULL, "too many --debug-dir");
	else
		args->debug_dirs[args->n_debug_dirs++] = optarg;
	return NULL;
}

static struct failure *parse_option(int c, char *const *argv, struct args *args)
{
	switch (c) {
	case 'p':
		return parse_number("-p", optarg, INT_MAX, &args->pid);
	case 't':
		args->target = optarg;
		return NULL;
	case 's':
		args->uri = optarg;
		return NULL;
	case 'm':
		if (strcmp(optarg, "observe") && strcmp(optarg, "stop"))
			return failure_create(EXIT_USAGE, "usage", NULL,
					      "--mode is observe or stop, not '%s'", optarg);
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
		return parse_path(c, args);
	case ':':
		return failure_create(EXIT_USAGE, "usage", see_help, "%s wants a value",
				      argv[optind - 1]);
	default:
		if (optopt && optopt < 256)
			return failure_create(EXIT_USAGE, "usage", see_help, "unknown option -%c",
					      optopt);
		return failure_create(EXIT_USAGE, "usage", see_help,
				      "unknown or ambiguous option %s", argv[optind - 1]);
	}
}

static struct failure *parse_command(const char *name, struct args *args)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(commands[i].name, name))
			continue;
		args->command = commands[i].command;
		return NULL;
	}
	return failure_create(EXIT_USAGE, "usage", see_help, "unknown command '%s'", name);
}

int args_is_private(const struct args *args)
{
	return (args->pid || args->core) && !args->uri && args->command != COMMAND_ATTACH;
}

int args_command_needs_target(enum command command)
{
	return command <= COMMAND_INFO;
}

static struct failure *check(const struct args *args, int n_left, char **left)
{
	enum command c = args->command;

	if (n_left)
		return failure_create(EXIT_USAGE, "usage",
				      c == COMMAND_CALL
					      ? "quote the JSON: 'call METHOD {...}' takes one"
					      : see_help,
				      "unexpected argument '%s'", left[0]);
	if (args->logical && c != COMMAND_BT)
		return failure_create(EXIT_USAGE, "usage", NULL, "--logical belongs to bt");
	if (!!args->pid + !!args->target + !!args->core > 1)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "give either -p PID, --core FILE or -t TARGET");
	if (!args->core && (args->exe || args->sysroot))
		return failure_create(EXIT_USAGE, "usage", NULL, "--exe and --sysroot belong to --core FILE");
	if (!args->core && !args->pid && args->n_debug_dirs)
		return failure_create(EXIT_USAGE, "usage", NULL, "--debug-dir belongs to -p PID or --core FILE");
	if (args_command_needs_target(c) && !args->pid && !args->target && !args->core)
		return failure_create(
			EXIT_USAGE, "usage", "ompdctl targets lists what ompdd is attached to",
			"which process? Give -p PID, --core FILE, or -t TARGET of a running ompdd");
	if (c == COMMAND_ATTACH && !args->pid && !args->core)
		return failure_create(EXIT_USAGE, "usage", NULL, "attach wants -p PID or --core FILE");
	if (c == COMMAND_DETACH && !args->target)
		return failure_create(EXIT_USAGE, "usage", "ompdctl targets lists them",
				      "detach wants -t TARGET");
	if ((args->mode || args->max_stop_ms) && !args->pid)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "--mode and --max-stop-ms belong to -p PID: a target that is "
				      "attached already has its own");
	if (!args_is_private(args) && (args->ompdd || args->n_daemon_options))
		return failure_create(EXIT_USAGE, "usage", "give such options to that ompdd itself",
				      "--ompdd, --libompd and --plugin-dir are for an ompdd that "
				      "ompdctl starts, but this asks one that runs");
	return NULL;
}

struct failure *args_parse(int argc, char **argv, struct args *ret)
{
	struct args args = {.timeout_s = DEFAULT_TIMEOUT_S};
	struct failure *f;
	int c;

	optind = 0; /* glibc: start anew, for tests that parse many times */
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":p:t:s:m:jalvhV", options, NULL)) != -1) {
		if (c == 'h' || c == 'V') {
			args.command = c == 'h' ? COMMAND_HELP : COMMAND_VERSION;
			*ret = args;
			return NULL;
		}
		f = parse_option(c, argv, &args);
		if (f)
			return f;
	}
	if (optind == argc)
		return failure_create(EXIT_USAGE, "usage", see_help,
				      "no command given; try "
				      "ompdctl -p PID threads, or tree");
	f = parse_command(argv[optind++], &args);
	if (f)
		return f;
	if (args.command == COMMAND_CALL) {
		if (optind == argc)
			return failure_create(EXIT_USAGE, "usage", "rpc.discover lists the methods",
					      "call wants a METHOD");
		args.method = argv[optind++];
		if (optind < argc)
			args.params = argv[optind++];
	}
	if (args.command == COMMAND_BT && optind < argc)
		f = parse_number("bt", argv[optind++], INT_MAX, &args.thread);
	if (!f && args.command != COMMAND_HELP)
		f = check(&args, argc - optind, argv + optind);
	if (f)
		return f;
	*ret = args;
	return NULL;
}
