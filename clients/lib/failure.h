/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reason why a client cannot serve a request: one error from the function that detected it up to the exit code. */
#ifndef OMPDD_LIB_FAILURE_H
#define OMPDD_LIB_FAILURE_H

#include "base/error.h"

struct json_object;

/* Create an error of the client's own; @hint may be NULL. */
struct error *failure_create(enum error_code code, const char *name, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Create an error for a wrong command line: failure_usage(hint, format, ...). */
#define failure_usage(...) failure_create(ERR_USAGE, "usage", __VA_ARGS__)

/* Create an error (ERR_ANSWER) from a JSON-RPC error object, which is borrowed for the call. */
struct error *failure_from_answer(struct json_object *error);

#endif
