/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The requests of a step: to our script in the native debugger (openmp_steps.py), to the native adapter, and to ompdd.
 * If the step has ended when the answer comes, the callback is not called.
 */
#ifndef OMPDD_DAP_STEP_SCRIPT_H
#define OMPDD_DAP_STEP_SCRIPT_H

#include "adapter.h"
#include "debuggee.h"

struct step_script {
	struct adapter *adapter;
	struct debuggee *target;
	bool is_loaded; /* the script is in the native adapter */
	uint64_t turn;	/* counts steps: an answer to an earlier step is ignored */
	void *arg;	/* of the callbacks */
};

/* @answer is borrowed; NULL: no answer. */
typedef void step_script_fn(void *arg, struct json_object *answer);
typedef void step_script_view_fn(void *arg, const struct view *v);

/* Send a request to the script, and take ownership of the request. @done may be NULL. */
void step_script_ask(struct step_script *s, struct json_object *query, step_script_fn *done);
/* Load the script into the native adapter if necessary, then call step_script_ask(). */
void step_script_load_and_ask(struct step_script *s, struct json_object *query, step_script_fn *done);
/* Request the native stack of thread @tid: its `stackFrames`, at most @levels; NULL: the request failed. */
void step_script_request_stack(struct step_script *s, int64_t tid, int64_t levels, step_script_fn *done);
/* Wait for ompdd's next view; NULL: none. */
void step_script_await_view(struct step_script *s, step_script_view_fn *done);
/* Request the result of breakpoint.addresses; @failed gets its error. */
void step_script_request_addresses(struct step_script *s, step_script_fn *done, step_script_fn *failed);
/* The step has ended: ignore the answers that are still to come. */
void step_script_forget(struct step_script *s);

/* Add to a request a breakpoint for thread @tid, or for all threads (0). */
void step_script_add_plant(struct json_object *query, uint64_t address, int64_t tid);
/* Return the address of a place of breakpoint.addresses; 0: none. */
uint64_t step_script_address(struct json_object *place);

#endif
