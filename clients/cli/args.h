/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of ompdctl, parsed and checked. */
#ifndef OMPDD_CLI_ARGS_H
#define OMPDD_CLI_ARGS_H

#include <stddef.h>

#include "commands.h"
#include "exit_code.h"

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

#define ARGS_MAX_DAEMON_OPTIONS 32
#define ARGS_MAX_DEBUG_DIRS	16
#define ARGS_MAX_PLACES		16
#define ARGS_MAX_PIDS		64
#define ARGS_MAX_RULE_WORDS	256

/* Strings are borrowed from argv. */
struct args {
	enum command command;
	long pid;			      /* the current process; 0: none, or not known yet */
	const char *processes[ARGS_MAX_PIDS]; /* the arguments of -p: ids or names; see processes_find() */
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
	long sample_ms;	    /* interval between samples of threads; 0: not given */
	long timeout_s;
	const char *token_file;
	const char *ompdd; /* the daemon's executable */
	const char *topic; /* help: a command; completion: a shell; NULL: none */
	/* For timeout, as given; NULL: not given. */
	const char *duration, *kill_after, *signal, *report;
	int foreground, preserve_status;
	/* For top and record; NULL or 0: not given. */
	const char *output, *format;
	double seconds;
	long rate;
	int once;
	int slow;     /* for why */
	int waits;    /* the only process may start later */
	int children; /* follow what the process starts */
	/* For watch: --when and --then in their order. */
	struct rule_word {
		int is_condition;
		const char *text;
	} rule_words[ARGS_MAX_RULE_WORDS];
	size_t n_rule_words;
	const char *rules, *interval;
	int check_rules;
	const char *user; /* for ps; NULL: any user */
	const char
		*filters[5]; /* the name, runtime, ranks, job and control group of processes, as the user gave them */
	const char *columns; /* -o; NULL: the default columns of the view */
	const char *method;  /* for call */
	const char *params;  /* for call; "-" is standard input; NULL: none */
	enum colour_when colour;
	long thread;	      /* for bt and step; 0: all, or the main thread */
	char *const *program; /* the words after "--", for launch and break; ends with NULL; NULL: none */
	const char *cwd;      /* working folder of the program; this and its files may be relative paths */
	const char *files[3]; /* NULL: not given */
	const char *places[ARGS_MAX_PLACES]; /* for break: events, functions, FILE:LINE, 0xADDRESS */
	size_t n_places;
	long count; /* for break, events and serialize; 0: not given */
	/* For break: thread number, level, number of skipped hits, and the N of "every Nth hit"; -1: not given. */
	long conditions[5];
	const char *region; /* a function; NULL: any */
	const char *step;   /* for step: the protocol's name of the kind */
	int json, pretty, all, verbose, logical, no_headers, full_names;
	/* --libompd PATH and --plugin-dir DIR, passed on to a private ompdd. */
	const char *daemon_options[ARGS_MAX_DAEMON_OPTIONS];
	size_t n_daemon_options;
};

/* Parse and check the command line. Options may come before or after the command. Fails with ERR_USAGE on any
 * mistake; then only ret->command is set, if it was recognised. */
struct error *args_parse(int argc, char **argv, struct args *ret);

/* Return the value of the filter @option (OPT_NAME to OPT_CGROUP); NULL: not given. */
static inline const char *args_filter(const struct args *args, enum option_code option)
{
	return args->filters[option - OPT_NAME];
}

/* Return whether the command examines a process, and the command line names none. */
int args_lacks_process(const struct args *args);

/* Return whether ompdctl is to find the process: the command line names none, and no other ompdd. */
int args_chooses_process(const struct args *args);

/* Return whether this command starts an ompdd of its own. */
int args_is_private(const struct args *args);

/* Return whether this command (break, step, serialize) controls a program, which it may also start. */
int args_command_controls(enum command command);

/* Return whether this command accepts several processes. */
int args_command_takes_several(enum command command);

/* Return whether this command examines a target. A private ompdd can serve such a command, which accepts several
 * targets, one after the other. */
int args_command_needs_target(enum command command);

#endif
