/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an adapter says that it can do, and which requests need that. */
#ifndef OMPDD_DAP_CAPABILITIES_H
#define OMPDD_DAP_CAPABILITIES_H

#include <stdbool.h>

struct json_object;

/* The capability without which @command must not be sent; NULL: every adapter takes it, or nobody knows it. */
const char *capabilities_needed(const char *command);

/* The native adapter's @body of `initialize` with what we add, and whether @steps by regions are; the caller owns it.
 */
struct json_object *capabilities_with_ours(struct json_object *body, bool steps);

/*
 * Those told before an adapter is chosen: what each native adapter that speaks DAP can do, and what we add. What the
 * chosen one lacks is taken back by an event. The caller owns it.
 */
struct json_object *capabilities_before_choice(void);

/* Those of the observer, which stops nothing, or in mode stop; the caller owns it. */
struct json_object *capabilities_of_observer(int stops);

/* What a client must be told that was told @before: @now, and false for what is not there any more. */
struct json_object *capabilities_change(struct json_object *before, struct json_object *now);

#endif
