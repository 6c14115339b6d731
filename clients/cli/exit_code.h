/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The exit codes of clients, and the error with which a client ends. */
#ifndef OMPDD_CLI_EXIT_CODE_H
#define OMPDD_CLI_EXIT_CODE_H

#include <stdio.h>

#include "failure.h"

/* exit_code_rows has their meaning. */
enum exit_code { EXIT_OK = 0, EXIT_ANSWER = 1, EXIT_CONNECT = 2, EXIT_USAGE = 3, EXIT_OUTPUT = 4 };

struct exit_code_row {
	enum exit_code code;
	const char *meaning; /* at most 74 columns; NULL ends the table */
};

/* The table that help and man page show. */
extern const struct exit_code_row exit_code_rows[];

/* Return the exit code of a client that ends because of @f. */
enum exit_code failure_exit_code(const struct error *f);

/*
 * Print the failure on @stream: `ompdctl: message [name]` and `  hint: ...`, or with @json only the error object on
 * one line. Strings of the daemon are escaped.
 */
void failure_print(const struct error *f, FILE *stream, int json, int utf8);

#endif
