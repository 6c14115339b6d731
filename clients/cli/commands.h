/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tables of ompdctl: its commands and its options. Parsing (args.c), help (help.c), completions (completion.c)
 * and requests (request.c) all read them. A new command needs one row here and code that shows its result.
 */
#ifndef OMPDD_CLI_COMMANDS_H
#define OMPDD_CLI_COMMANDS_H

#include <stddef.h>

enum command {
	COMMAND_THREADS,
	COMMAND_TREE,
	COMMAND_TASKS,
	COMMAND_ICVS,
	COMMAND_DEVICES,
	COMMAND_SNAPSHOT,
	COMMAND_BT,
	COMMAND_WHY,
	COMMAND_INFO,
	COMMAND_CALL,
	COMMAND_TARGETS,
	COMMAND_PS,
	COMMAND_TOP,
	COMMAND_RECORD,
	COMMAND_DUMP,
	COMMAND_PAGE,
	COMMAND_TIMEOUT,
	COMMAND_ATTACH,
	COMMAND_DETACH,
	COMMAND_LAUNCH,
	COMMAND_KILL,
	COMMAND_EVENTS,
	COMMAND_BREAK,
	COMMAND_STEP,
	COMMAND_SERIALIZE,
	COMMAND_NODE_SUMMARY,
	COMMAND_NODE_METRICS,
	COMMAND_MERGE,
	COMMAND_WATCH,
	COMMAND_COMPLETION,
	COMMAND_HELP,
	COMMAND_VERSION, /* --version only: has no row */
};

/* Groups of options. Each command takes some groups. */
enum option_group {
	GROUP_PID = 1 << 0,
	GROUP_CORE = 1 << 1,
	GROUP_TARGET = 1 << 2,
	GROUP_LOOK = 1 << 3,	/* how the process is examined */
	GROUP_PRIVATE = 1 << 4, /* for a private ompdd */
	GROUP_SERVER = 1 << 5,
	GROUP_JSON = 1 << 6,
	GROUP_SHOW = 1 << 7,
	GROUP_ALL = 1 << 8,
	GROUP_LOGICAL = 1 << 9,
	GROUP_COUNT = 1 << 10,
	GROUP_PROGRAM = 1 << 11,
	GROUP_COLUMNS = 1 << 12,
	GROUP_HELP = 1 << 13,
	GROUP_FILTER = 1 << 14,	  /* selection of the listed processes */
	GROUP_LIMIT = 1 << 15,	  /* for timeout */
	GROUP_PATIENCE = 1 << 16, /* time limit of an answer */
	GROUP_RECORD = 1 << 17,	  /* for top and record */
	GROUP_FILE = 1 << 18,	  /* for record */
	GROUP_ONCE = 1 << 19,
	GROUP_CONDITION = 1 << 20, /* conditions of a breakpoint */
	GROUP_JOB = 1 << 21,	   /* views of a whole job */
	GROUP_SUMMARY = 1 << 22,   /* for node-summary and merge */
	GROUP_SAMPLE = 1 << 23,	   /* for threads */
	GROUP_METRICS = 1 << 24,   /* for node-metrics */
	GROUP_NAMES = 1 << 25,	   /* names in drawn views */
	GROUP_SLOW = 1 << 26,	   /* for why --slow */
	GROUP_OUTPUT = 1 << 27,	   /* the file that a command writes */
	GROUP_WATCH = 1 << 28,	   /* rules of watch */
	GROUP_WAIT = 1 << 29,	   /* a process that starts later */
	GROUP_CHILDREN = 1 << 30,  /* the processes that it starts */
};

/* Kinds of words after an option or a command, for completions. */
enum word_kind {
	WORD_NONE,
	WORD_ANY, /* a number or a name: nothing to offer */
	WORD_FILE,
	WORD_FOLDER,
	WORD_PROCESS,
	WORD_MODE,
	WORD_WHEN,
	WORD_COMMAND,
	WORD_SHELL,
	WORD_EVENT,
	WORD_STEP,
};

/* Codes of options without a letter. */
enum option_code {
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
	OPT_NO_HEADERS,
	OPT_NAME, /* these five in the order of args.filters */
	OPT_RUNTIME,
	OPT_RANK,
	OPT_JOB,
	OPT_CGROUP,
	OPT_SIGNAL,
	OPT_FOREGROUND,
	OPT_PRESERVE_STATUS,
	OPT_REPORT,
	OPT_RATE,
	OPT_FORMAT,
	OPT_OUTPUT,
	OPT_ONCE,
	OPT_SLOW,
	OPT_THREAD_NUM, /* these in the order of args.conditions */
	OPT_LEVEL,
	OPT_AFTER,
	OPT_EVERY,
	OPT_DEVICE,
	OPT_REGION,
	OPT_SAMPLE,
	OPT_FULL_NAMES,
	OPT_NODES, /* first of the options that ompdctl-cluster parses itself */
	OPT_ENGINE,
	OPT_REMOTE_OMPDCTL,
	OPT_KIND,
	OPT_NODE_NAME,
	OPT_VIEW,
	OPT_WHEN,
	OPT_THEN,
	OPT_RULES,
	OPT_CHECK_RULES,
	OPT_INTERVAL,
	OPT_WAIT,
	OPT_CHILDREN,
};

struct command_row {
	const char *name;
	enum command command;
	const char *arguments; /* after the name: "[TID]"; "" */
	enum word_kind words;  /* kind of the arguments */
	unsigned groups;       /* the options that it takes */
	const char *summary;   /* one line */
	const char *text;      /* more text for its own help, lines of at most 80 columns; NULL: none */
	const char *examples;  /* one per line, "COMMAND LINE # description" */
	/* Methods that the command calls, with --json and without; NULL: depends on the arguments. */
	const char *json_method, *method;
};

struct option_row {
	const char *name;
	int code;	      /* a letter, or an enum option_code */
	const char *argument; /* "PID"; NULL: takes no argument */
	enum word_kind word;
	enum option_group group;
	const char *help; /* lines separated by \n, each at most 55 columns */
};

extern const struct command_row command_rows[];
extern const size_t n_command_rows;
extern const struct option_row option_rows[];
extern const size_t n_option_rows;

/* The OpenMP events of `break`, also offered by completions; ends with NULL. */
extern const char *const command_events[];
/* The kinds of `step`, and their names in the protocol; both end with NULL. */
extern const char *const command_steps[], *const command_step_kinds[];

/* Return the row of a command's name, of a command's number, or of an option's code; NULL: no such row.
 * COMMAND_VERSION has no row. */
const struct command_row *command_find(const char *name);
const struct command_row *command_row(enum command command);
const struct option_row *option_row(int code);

/* Return the command closest to the misspelt @name, or NULL. */
const char *command_suggest(const char *name);
/* Return the event closest to the misspelt @name, or NULL. */
const char *command_suggest_event(const char *name);

#endif
