/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own scopes and variables: JSON values of ompdd, shown in the form of structures. */
#ifndef OMPDD_DAP_VARIABLES_H
#define OMPDD_DAP_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Values that can be expanded, per stop. */
#define VARIABLES_MAX 100000
/* Members of one value that are shown. */
#define VARIABLES_MAX_SHOWN 10000

struct variables {
	struct json_object **values; /* reference MESSAGE_OWN_IDS + i; owned */
	size_t n, cap;
};

/* Forget all values: the references of the client become invalid. */
void variables_clear(struct variables *v);

/*
 * Create a line: a value that is shown as @text and has members of its own, which the caller adds to *@members_ret,
 * borrowed. The caller owns the line.
 */
struct json_object *variables_line(const char *text, struct json_object **members_ret);

/* Return a reference to @value, an object or array, which is not copied; 0: too many. */
int64_t variables_add(struct variables *v, struct json_object *value);

/* Append to @scopes a scope of that name for @value; nothing if it is empty or missing. */
void variables_add_scope(struct variables *v, struct json_object *scopes, const char *name, struct json_object *value);

/* Append a scope of that name whose value is not known yet. variables_waits() returns @what, the number of what to
 * look up. */
void variables_add_later(struct variables *v, struct json_object *scopes, const char *name, size_t what);
/* Return whether @reference is such a scope; variables_fill() sets its value. */
bool variables_waits(const struct variables *v, int64_t reference, size_t *what_ret);
void variables_fill(struct variables *v, int64_t reference, struct json_object *value);

/*
 * Return the members of @reference in DAP's form, @count of them (0: all) from @start on; NULL for an unknown
 * reference. The caller owns them.
 */
struct json_object *variables_list(struct variables *v, int64_t reference, int64_t start, int64_t count);

#endif
