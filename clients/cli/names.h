/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP's long state names as the short words of the tables, and their colours. */
#ifndef OMPDD_CLI_NAMES_H
#define OMPDD_CLI_NAMES_H

#include "text.h"

struct json_object;

struct state_name {
	char *text; /* "barrier", inferred "barrier~", unknown "-"; sanitised, owned */
	enum colour colour;
};

/* The short form of a thread's "state" member; free the text. */
struct state_name names_state(const struct style *style, struct json_object *state);

#endif
