/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions of a rule on a process that fulfils it. */
#ifndef OMPDD_CLI_WATCH_ACTION_H
#define OMPDD_CLI_WATCH_ACTION_H

#include "args.h"
#include "connection.h"
#include "watch/rule.h"

struct json_object;

struct action {
	const struct args *args;
	const struct connection *signals; /* see visit_begin() */
	const struct watch_rule *rule;
	pid_t pid;
	const char *program; /* its name, without control characters */
	const char *fact;    /* why the process fulfils the condition, without control characters */
};

/* Check the server and the program of a rule. */
struct error *action_check(const struct watch_rule *rule);

/* Create the folder of a rule, if it has one. */
struct error *action_prepare(const struct watch_rule *rule);

/*
 * Keep a report and a core, record a profile and keep or push it, then run the program. A failed step does not prevent
 * the next one. Adds the results to @event: "files", "pushed", "run" and "errors".
 */
void action_perform(const struct action *a, struct json_object *event);

/* Return the time of the system's clock as "2026-11-28T17:15:00Z", a JSON string. The caller owns it. */
struct json_object *action_create_time(void);

#endif
