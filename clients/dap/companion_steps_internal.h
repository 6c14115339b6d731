/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the companion's steps share. */
#ifndef OMPDD_DAP_COMPANION_STEPS_INTERNAL_H
#define OMPDD_DAP_COMPANION_STEPS_INTERNAL_H

#include "companion.h"

/* @answer is borrowed; NULL: there was none. */
typedef void steps_fn(struct companion *c, struct json_object *answer);
typedef void steps_view_fn(struct companion *c, const struct view *v);
/* The step that it is of has been forgotten when the answer comes: it is not called then. */

/* companion_steps_ask.c: have the script do @wish, which is taken. @done may be NULL. */
void steps_ask(struct companion *c, struct json_object *wish, steps_fn *done);
/* Let the native adapter have the script, if it has not, and ask it as steps_ask() does. */
void steps_load_and_ask(struct companion *c, struct json_object *wish, steps_fn *done);
/* The stack of thread @tid as the native adapter has it: its `stackFrames`, or NULL. */
void steps_ask_stack(struct companion *c, int64_t tid, steps_fn *done);
/* What ompdd says of OpenMP when its look is over; NULL: nothing. */
void steps_await_view(struct companion *c, steps_view_fn *done);
/* Where OpenMP's places are: the result of breakpoint.addresses, or its error. */
void steps_ask_addresses(struct companion *c, steps_fn *done, steps_fn *failed);

/* companion_steps.c: what to ask of the thread of the step, and where that matters, of who stands at the function. */
struct json_object *steps_look(const struct companion *c);
/* Add to @wish a breakpoint for thread @tid, or for all (0). */
void steps_add_plant(struct json_object *wish, uint64_t address, int64_t tid);
uint64_t steps_address_of(struct json_object *place);
/* The entry point at which the thread of @answer stands, if its caller counts; NULL. */
struct json_object *steps_entry_at(const struct companion *c, struct json_object *answer);
/* The thread stands at the entry point @place. NULL: the step goes on; else why it cannot. */
const char *steps_begin_region(struct companion *c, struct json_object *place, struct json_object *answer);
/* Take away what is planted, plant at @address, and go on. */
void steps_expect(struct companion *c, enum steps_phase phase, uint64_t address, uint64_t cfa);
/* The answer to what was planted: the program goes on. */
steps_fn steps_planted;
/* It has not run yet: the step is over before it begins. */
void steps_refuse(struct companion *c, const char *why);

#endif
