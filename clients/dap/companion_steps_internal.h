/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions shared by the files of the companion's steps. */
#ifndef OMPDD_DAP_COMPANION_STEPS_INTERNAL_H
#define OMPDD_DAP_COMPANION_STEPS_INTERNAL_H

#include "companion.h"

/* @answer is borrowed; NULL: no answer. */
typedef void steps_fn(struct companion *c, struct json_object *answer);
typedef void steps_view_fn(struct companion *c, const struct view *v);
/* If the step has been forgotten when the answer comes, the callback is not called. */

/* companion_steps_ask.c: send a request to the script, and take ownership of the request. @done may be NULL. */
void steps_ask(struct companion *c, struct json_object *wish, steps_fn *done);
/* Load the script into the native adapter if necessary, then call steps_ask(). */
void steps_load_and_ask(struct companion *c, struct json_object *wish, steps_fn *done);
/* Request the native stack of thread @tid: its `stackFrames`, or NULL. */
void steps_ask_stack(struct companion *c, int64_t tid, steps_fn *done);
/* Wait for ompdd's next view; NULL: none. */
void steps_await_view(struct companion *c, steps_view_fn *done);
/* Request the result of breakpoint.addresses; @failed gets its error. */
void steps_ask_addresses(struct companion *c, steps_fn *done, steps_fn *failed);

/* companion_steps.c: return the request for the state of the step's thread, and if needed of the threads at the
 * function. */
struct json_object *steps_look(const struct companion *c);
/* Add to a request a breakpoint for thread @tid, or for all threads (0). */
void steps_add_plant(struct json_object *wish, uint64_t address, int64_t tid);
uint64_t steps_address_of(struct json_object *place);
/* Return the entry point at which the thread of @answer is stopped, if its caller is acceptable; otherwise NULL. */
struct json_object *steps_entry_at(const struct companion *c, struct json_object *answer);
/* Enter the region: the thread is stopped at the entry point @place. Returns NULL if the step continues, otherwise
 * why it cannot. */
const char *steps_begin_region(struct companion *c, struct json_object *place, struct json_object *answer);
/* Remove the planted breakpoints, plant one at @address, and resume. */
void steps_expect(struct companion *c, enum steps_phase phase, uint64_t address, uint64_t cfa);
/* Handle the answer to planted breakpoints: resume the program. */
steps_fn steps_planted;
/* End a step that has not run yet. */
void steps_refuse(struct companion *c, const char *why);

#endif
