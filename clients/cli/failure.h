/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reason why a client cannot serve a request: one error from the function that detected it up to the exit code. */
#ifndef OMPDD_CLI_FAILURE_H
#define OMPDD_CLI_FAILURE_H

#include <stdio.h>

#include "base/error.h"

struct json_object;

/* exit_code_rows has their meaning. */
enum exit_code { EXIT_OK = 0, EXIT_ANSWER = 1, EXIT_CONNECT = 2, EXIT_USAGE = 3, EXIT_OUTPUT = 4 };

struct exit_code_row {
	enum exit_code code;
	const char *meaning; /* at most 74 columns; NULL ends the table */
};

/* The table that help and man page show. */
extern const struct exit_code_row exit_code_rows[];

/* Create an error of the client's own; @hint may be NULL. */
struct error *failure_create(enum error_code code, const char *name, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Create an error for a wrong command line: failure_usage(hint, format, ...). */
#define failure_usage(...) failure_create(ERR_USAGE, "usage", __VA_ARGS__)

/* Create an error (ERR_ANSWER) from a JSON-RPC error object, which is borrowed for the call. */
struct error *failure_from_answer(struct json_object *error);

/* Return the exit code of a client that ends because of @f. */
enum exit_code failure_exit_code(const struct error *f);

/*
 * Print the failure on @stream: `ompdctl: message [name]` and `  hint: ...`, or with @json only the error object on
 * one line. Strings of the daemon are escaped.
 */
void failure_print(const struct error *f, FILE *stream, int json, int utf8);

#endif
