/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readable form of process.list. */
#ifndef OMPDD_CLI_PS_H
#define OMPDD_CLI_PS_H

#include "failure.h"
#include "text.h"

struct json_object;

/* Append a table with one line per process. */
void ps_show(struct json_object *result, const struct style *style, struct buf *out);

/* Check that `-o @names` names only columns of that table; fails with ERR_USAGE otherwise. */
struct error *ps_check_columns(const char *names);

#endif
