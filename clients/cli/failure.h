/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reason why ompdctl cannot serve a request: one value from the function that detected it up to the exit code. */
#ifndef OMPDD_CLI_FAILURE_H
#define OMPDD_CLI_FAILURE_H

#include <stdio.h>

struct json_object;

enum exit_code {
	EXIT_OK = 0,
	EXIT_ANSWER = 1,  /* the daemon answered with an error */
	EXIT_CONNECT = 2, /* no daemon, or the daemon died, hung or sent garbage */
	EXIT_USAGE = 3,
};

struct failure {
	enum exit_code code;
	char *name;		    /* stable key, may be NULL */
	char *message;		    /* never NULL */
	char *hint;		    /* may be NULL */
	struct json_object *answer; /* the daemon's error object, if any */
};

/* Create a failure of ompdctl's own; @hint may be NULL. The caller frees it with failure_destroy(). */
struct failure *failure_create(enum exit_code code, const char *name, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Create a failure for a wrong command line: failure_usage(hint, format, ...). */
#define failure_usage(...) failure_create(EXIT_USAGE, "usage", __VA_ARGS__)

/* Create a failure (EXIT_ANSWER) from a JSON-RPC error object, which is borrowed for the call. */
struct failure *failure_from_answer(struct json_object *error);

void failure_destroy(struct failure *f);

/*
 * Print the failure on @stream: `ompdctl: message [name]` and `  hint: ...`, or with @json only the error object on
 * one line. Strings of the daemon are escaped.
 */
void failure_print(const struct failure *f, FILE *stream, int json, int utf8);

#endif
