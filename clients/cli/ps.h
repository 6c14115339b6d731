/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable form of process.list. */
#ifndef OMPDD_CLI_PS_H
#define OMPDD_CLI_PS_H

#include "failure.h"
#include "text.h"

struct json_object;

/* A table, one line for each process. */
void ps_show(struct json_object *result, const struct style *style, struct text *out);

/* Whether `-o @names` names columns of that table only; EXIT_USAGE where it does not. */
struct failure *ps_check_columns(const char *names);

#endif
