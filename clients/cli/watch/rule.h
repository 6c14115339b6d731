/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rules of `ompdctl watch`: a condition and what to do when a process fulfils it. */
#ifndef OMPDD_CLI_WATCH_RULE_H
#define OMPDD_CLI_WATCH_RULE_H

#include <stdint.h>

#include "failure.h"

#define RULES_MAX 32
/* Longest line of a file of rules. */
#define RULES_MAX_LINE 4096

enum watch_condition {
	WHEN_DEADLOCK,	  /* the verdict is deadlock */
	WHEN_BARRIER,	  /* a thread has slept at one barrier for some time */
	WHEN_NO_PROGRESS, /* no thread has made progress for some time */
	WHEN_METRIC,	  /* a number of the process is above, or below, a limit */
};

enum watch_metric {
	METRIC_TEAM_THREADS,
	METRIC_BUSY_THREADS,
	METRIC_BARRIER_THREADS,
	METRIC_BARRIER_SECONDS,
	METRIC_CPU_SECONDS,
	N_METRICS,
};

extern const char *const watch_metric_names[N_METRICS];

struct watch_rule {
	char *when; /* the condition as the user wrote it; owned */
	enum watch_condition condition;
	double seconds; /* for WHEN_BARRIER and WHEN_NO_PROGRESS */
	enum watch_metric metric;
	int is_below; /* the metric must be below @value */
	double value;
	/* Actions; NULL or 0: not requested. Strings are owned. */
	char *keep, *run, *push;
	double profile_s;
	int core; /* write a core into @keep */
	/* Limits of the actions. */
	int64_t max_files, max_bytes; /* of the folder @keep */
	double run_limit_s;	      /* time limit of @run */
	double every_s;		      /* minimum time between two actions of the rule for one process */
};

struct watch_rules {
	struct watch_rule items[RULES_MAX];
	size_t n;
};

/* Add a rule with condition @text: "deadlock", "barrier>60s". Fails with ERR_USAGE. */
struct error *watch_rules_add(struct watch_rules *r, const char *text);

/* Add an action or a limit to the last rule: "keep=DIR", "every=10m". Fails with ERR_USAGE. */
struct error *watch_rules_extend(struct watch_rules *r, const char *text);

/*
 * Add the rules of a file with lines "when CONDITION then ACTION...", in which blanks separate the words and # starts
 * a comment. Fails with ERR_USAGE, and names the line.
 */
struct error *watch_rules_read(struct watch_rules *r, const char *path);

/* Check that each rule has an action. Fails with ERR_USAGE. */
struct error *watch_rules_check(const struct watch_rules *r);

void watch_rules_deinit(struct watch_rules *r);

#endif
