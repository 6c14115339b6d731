/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short names and colours for OpenMP's long state names, for tables. */
#ifndef OMPDD_CLI_NAMES_H
#define OMPDD_CLI_NAMES_H

#include "text.h"

struct json_object;

struct state_name {
	char *text; /* "barrier", inferred "barrier~", unknown "-"; sanitised, owned */
	enum colour colour;
};

/* Return the short form of a thread's "state" member. The caller frees its text. */
struct state_name names_state(const struct style *style, struct json_object *state);

#endif
