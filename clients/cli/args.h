/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of ompdctl, parsed and checked; called once by main(). */
#ifndef OMPDD_CLI_ARGS_H
#define OMPDD_CLI_ARGS_H

#include <stddef.h>

#include "commands.h"
#include "failure.h"

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

#define ARGS_MAX_DAEMON_OPTIONS 32
#define ARGS_MAX_DEBUG_DIRS	16
#define ARGS_MAX_PLACES		16
#define ARGS_MAX_PIDS		64

/* Strings are borrowed from argv. */
struct args {
	enum command command;
	long pid;			      /* the process that is asked about now; 0: none, or not known yet */
	const char *processes[ARGS_MAX_PIDS]; /* of -p as they were given: ids or names; processes_find() */
	size_t n_processes;
	const char *core; /* --core; these may be relative paths */
	const char *exe;
	const char *sysroot;
	const char *debug_dirs[ARGS_MAX_DEBUG_DIRS];
	size_t n_debug_dirs;
	const char *uri;    /* -s */
	const char *target; /* -t */
	const char *mode;   /* "observe", "stop" or NULL */
	long max_stop_ms;   /* 0: not given */
	long sample_ms;	    /* of threads; 0: not given */
	long timeout_s;
	const char *token_file;
	const char *ompdd; /* the daemon's executable */
	const char *topic; /* of help: a command; of completion: a shell; NULL: none */
	/* These are of timeout, as they were given; NULL: not. */
	const char *duration, *kill_after, *signal, *report;
	int foreground, preserve_status;
	/* These are of top and record; NULL or 0: not given. */
	const char *output, *format;
	double seconds;
	long rate;
	int once;
	const char *user; /* these are of ps; NULL: any */
	const char
		*filters[5]; /* the name, runtime, ranks, job and control group of its processes, as they were given */
	const char *columns; /* -o; NULL: those of the view */
	const char *method;  /* of call */
	const char *params;  /* of call; "-" is standard input; NULL: none */
	enum colour_when colour;
	long thread;			     /* of bt and step; 0: all, or the main thread */
	char *const *program;		     /* behind "--", of launch and break; ends with NULL; NULL: none */
	const char *cwd;		     /* of the program; this and its files may be relative paths */
	const char *files[3];		     /* NULL: not given */
	const char *places[ARGS_MAX_PLACES]; /* of break: events, functions, FILE:LINE, 0xADDRESS */
	size_t n_places;
	long count; /* of break, events and serialize; 0: not given */
	/* Of break: thread number, level, how many pass, each so manieth; -1: not given. */
	long conditions[4];
	const char *region; /* a function; NULL: any */
	const char *step;   /* of step: the protocol's name of the kind */
	int json, pretty, all, verbose, logical, no_headers;
	/* --libompd PATH and --plugin-dir DIR, passed on to a private ompdd. */
	const char *daemon_options[ARGS_MAX_DAEMON_OPTIONS];
	size_t n_daemon_options;
};

/* Parse and check; options may stand before or behind the command. EXIT_USAGE on any mistake; then only ret->command is
 * set, if it was understood. */
struct failure *args_parse(int argc, char **argv, struct args *ret);

/* What the filter @option (OPT_NAME to OPT_CGROUP) was given as; NULL: it was not given. */
static inline const char *args_filter(const struct args *args, enum option_code option)
{
	return args->filters[option - OPT_NAME];
}

/* Whether an ompdd is started for this one command. */
int args_is_private(const struct args *args);

/* Whether this command controls a program, which it may start itself: break, step, serialize. */
int args_command_controls(enum command command);

/* Whether this command looks at a target, so that a private ompdd can serve it, and may be given several, one after the
 * other. */
int args_command_needs_target(enum command command);

#endif
