/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes and variables of our own: JSON values of ompdd, shown as a debugger shows a structure. */
#ifndef OMPDD_DAP_VARIABLES_H
#define OMPDD_DAP_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Values that can be opened, at one stop. */
#define VARIABLES_MAX 100000
/* Members of one value that are shown. */
#define VARIABLES_MAX_SHOWN 10000

struct variables {
	struct json_object **values; /* reference MESSAGE_OWN_IDS + i; owned */
	size_t n, cap;
};

/* Forget all: what was handed out means nothing any more. */
void variables_clear(struct variables *v);

/* A reference to @value, an object or array, which is not copied; 0: too many. */
int64_t variables_add(struct variables *v, struct json_object *value);

/* Append to @scopes a scope of that name for @value; an empty or missing one makes none. */
void variables_add_scope(struct variables *v, struct json_object *scopes, const char *name, struct json_object *value);

/* A scope of that name whose value is not there yet: variables_waits() has what is to be looked for, number @what. */
void variables_add_later(struct variables *v, struct json_object *scopes, const char *name, size_t what);
/* Whether @reference is such a one; the value that it has from now on. */
bool variables_waits(const struct variables *v, int64_t reference, size_t *what_ret);
void variables_fill(struct variables *v, int64_t reference, struct json_object *value);

/*
 * The members of @reference as DAP has them, @count of them (0: all) from @start on; NULL when there is no such
 * reference. The caller owns them.
 */
struct json_object *variables_list(struct variables *v, int64_t reference, int64_t start, int64_t count);

#endif
