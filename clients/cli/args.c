/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of the command line. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define DEFAULT_TIMEOUT_S 60

const char args_help[] =
	"usage: ompdctl -p PID COMMAND [OPTIONS]     a process; needs no running ompdd\n"
	"       ompdctl --core FILE COMMAND          a core file, also in gzip or zstd\n"
	"       ompdctl -t TARGET COMMAND [OPTIONS]  a target of a running ompdd\n"
	"       ompdctl targets | attach -p PID | attach --core FILE | detach -t TARGET\n"
	"       ompdctl launch [OPTIONS] -- PROGRAM [ARGUMENTS] | kill -t TARGET\n"
	"       ompdctl break PLACE... -p PID | -t TARGET | -- PROGRAM [ARGUMENTS]\n"
	"       ompdctl events [-p PID | -t TARGET]\n"
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
	"  launch      let a running ompdd start a program; it runs on without ompdd\n"
	"  kill        end a program that was launched\n"
	"  break       stop where a thread comes to a place, say who and where, and let\n"
	"              it run on; a place is an OpenMP event (parallel_begin,\n"
	"              parallel_end, task_begin, task_end, thread_begin, thread_end,\n"
	"              teams_begin, teams_end, target_begin, target_end),\n"
	"              a function, FILE:LINE or 0xADDRESS\n"
	"  events      what happens to the target, or to all, as it happens\n"
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
	"                         $OMPDD_URI, else where ompdd listens by itself, mostly\n"
	"                         $XDG_RUNTIME_DIR/ompdd/ompdd.sock\n"
	"      --token-file FILE  its token, for tcp: (default: $OMPDD_TOKEN_FILE)\n"
	"  -m, --mode MODE        observe: do not stop the process, so the picture may be\n"
	"                         torn; stop (default): stop it while its state is read,\n"
	"                         mostly for less than a millisecond\n"
	"      --max-stop-ms N    never stop the process for longer than this\n"
	"      --timeout SECONDS  give up when ompdd does not answer (default 60)\n"
	"      --ompdd PATH       the ompdd to start (else beside ompdctl, or in $PATH)\n"
	"      --libompd PATH     passed on to the ompdd that is started\n"
	"      --plugin-dir DIR   passed on to the ompdd that is started\n"
	"  -n, --count N          break: end after N hits (default 1); events: after N\n"
	"      --cwd DIR          of a launched program; default: the present folder\n"
	"      --stdin FILE       its standard input; default: /dev/null\n"
	"      --stdout FILE, --stderr FILE   default: this terminal, else /dev/null\n"
	"  -j, --json             print the result object alone, on one line; break and\n"
	"                         events: one object for each\n"
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
	{"launch", COMMAND_LAUNCH},   {"kill", COMMAND_KILL},	      {"events", COMMAND_EVENTS},
	{"break", COMMAND_BREAK},
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
	OPT_CWD,
	OPT_STDIN, /* these three in the order of descriptors */
	OPT_STDOUT,
	OPT_STDERR,
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
	{"count", required_argument, NULL, 'n'},
	{"cwd", required_argument, NULL, OPT_CWD},
	{"stdin", required_argument, NULL, OPT_STDIN},
	{"stdout", required_argument, NULL, OPT_STDOUT},
	{"stderr", required_argument, NULL, OPT_STDERR},
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

/* For options that name files. */
static struct failure *parse_path(int c, struct args *args)
{
	if (!*optarg)
		return failure_create(EXIT_USAGE, "usage", see_help, "an empty path names no file");
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
	case OPT_CWD:
	case OPT_STDIN:
	case OPT_STDOUT:
	case OPT_STDERR:
		return parse_path(c, args);
	case 'n':
		return parse_number("-n", optarg, INT_MAX, &args->count);
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
	return (args->pid || args->core || (args->program && args->command == COMMAND_BREAK)) && !args->uri &&
	       args->command != COMMAND_ATTACH;
}

int args_command_needs_target(enum command command)
{
	return command <= COMMAND_INFO;
}

/* Of launch, kill, break and events. */
static struct failure *check_program(const struct args *args)
{
	enum command c = args->command;
	int has_files = args->cwd || args->files[0] || args->files[1] || args->files[2];

	if (args->program && c != COMMAND_LAUNCH && c != COMMAND_BREAK)
		return failure_create(EXIT_USAGE, "usage", see_help, "-- PROGRAM belongs to launch and break");
	if (!args->program && has_files)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "--cwd, --stdin, --stdout and --stderr belong to -- PROGRAM");
	for (char *const *word = args->program; word && *word; word++) {
		if (!text_is_utf8(*word))
			return failure_create(EXIT_USAGE, "usage", NULL,
					      "an argument of the program is not UTF-8, which JSON cannot tell");
	}
	if (c == COMMAND_LAUNCH && !args->program)
		return failure_create(EXIT_USAGE, "usage", NULL, "launch wants -- PROGRAM [ARGUMENTS]");
	if (args->core && (c == COMMAND_BREAK || c == COMMAND_EVENTS))
		return failure_create(EXIT_USAGE, "usage", NULL, "nothing happens in a core file");
	if (c != COMMAND_BREAK)
		return NULL;
	if (!args->n_places)
		return failure_create(EXIT_USAGE, "usage", see_help,
				      "break wants a place: an OpenMP event, a function, FILE:LINE or 0xADDRESS");
	if (!args->pid && !args->target && !args->program)
		return failure_create(EXIT_USAGE, "usage", see_help,
				      "break where? Give -p PID, -t TARGET or -- PROGRAM");
	if (args->mode && strcmp(args->mode, "stop"))
		return failure_create(EXIT_USAGE, "usage", NULL, "breakpoints need --mode stop");
	return NULL;
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
	if (args->logical && c != COMMAND_BT && c != COMMAND_BREAK)
		return failure_create(EXIT_USAGE, "usage", NULL, "--logical belongs to bt and break");
	if (args->count && c != COMMAND_BREAK && c != COMMAND_EVENTS)
		return failure_create(EXIT_USAGE, "usage", NULL, "--count belongs to break and events");
	if (!!args->pid + !!args->target + !!args->core + !!args->program > 1)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      c == COMMAND_BREAK ? "give either -p PID, -t TARGET or -- PROGRAM"
							 : "give either -p PID, --core FILE or -t TARGET");
	struct failure *f = check_program(args);
	if (f)
		return f;
	if (!args->core && (args->exe || args->sysroot))
		return failure_create(EXIT_USAGE, "usage", NULL, "--exe and --sysroot belong to --core FILE");
	if (!args->core && !args->pid && !args->program && args->n_debug_dirs)
		return failure_create(EXIT_USAGE, "usage", NULL,
				      "--debug-dir belongs to -p PID, --core FILE or -- PROGRAM");
	if (args_command_needs_target(c) && !args->pid && !args->target && !args->core)
		return failure_create(
			EXIT_USAGE, "usage", "ompdctl targets lists what ompdd is attached to",
			"which process? Give -p PID, --core FILE, or -t TARGET of a running ompdd");
	if (c == COMMAND_ATTACH && !args->pid && !args->core)
		return failure_create(EXIT_USAGE, "usage", NULL, "attach wants -p PID or --core FILE");
	if ((c == COMMAND_DETACH || c == COMMAND_KILL) && !args->target)
		return failure_create(EXIT_USAGE, "usage", "ompdctl targets lists them",
				      "%s wants -t TARGET", c == COMMAND_KILL ? "kill" : "detach");
	if ((args->mode || args->max_stop_ms) && !args->pid && !(args->max_stop_ms && args->program))
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

	/* Behind it everything is the program's. */
	for (c = 1; c < argc && strcmp(argv[c], "--"); c++)
		;
	if (c + 1 < argc)
		args.program = argv + c + 1;
	if (c < argc)
		argc = c;

	optind = 0; /* glibc: start anew, for tests that parse many times */
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":p:t:s:m:n:jalvhV", options, NULL)) != -1) {
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
	while (args.command == COMMAND_BREAK && optind < argc && args.n_places < ARGS_MAX_PLACES)
		args.places[args.n_places++] = argv[optind++];
	if (!f && args.command != COMMAND_HELP)
		f = check(&args, argc - optind, argv + optind);
	if (f)
		return f;
	*ret = args;
	return NULL;
}
