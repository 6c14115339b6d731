/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps by parallel regions beside a native debugger. ompdd knows the regions and their teams, the native debugger
 * holds the threads.
 */
#ifndef OMPDD_DAP_STEPS_H
#define OMPDD_DAP_STEPS_H

#include "step_script.h"

/* Most recent breakpoints of steps whose numbers are remembered. */
#define STEPS_MAX_OWN 256

enum steps_phase {
	STEPS_NONE,
	STEPS_BEGINS,  /* stopped, while the destination of the step is determined */
	STEPS_ENTRY,   /* running until the thread gets to an entry point of the runtime */
	STEPS_MEMBERS, /* running until the team gets to the region's function */
	STEPS_RETURN,  /* running until the call of the region returns */
};

enum steps_kind { STEPS_INTO, STEPS_OVER, STEPS_OUT };

struct steps {
	struct dap_client *client;
	struct step_script script;
	enum steps_phase phase;
	enum steps_kind kind;
	int64_t tid;		     /* the thread that steps; out of a region: its encountering thread */
	struct json_object *request; /* of the client, until it is answered; owned */
	struct json_object *regions; /* entry points, as in breakpoint.addresses; owned */
	struct json_object *begins;  /* the runtime's own places at which regions begin; owned */
	struct json_object *at;	     /* threads at the function; owned */
	struct json_object *other;   /* a `stopped` that is not for the step, until it is known to be current; owned */
	size_t parallel;	     /* the region to leave; index in the view of the stop */
	uint64_t address, cfa;	     /* of the function; return address of the call, and its frame */
	bool is_asking;		     /* the program is stopped, and its state was requested from the script */
	bool has_more;		     /* another stop was reported meanwhile */
	bool wants_stop;	     /* the client has requested a stop meanwhile */
	int64_t own[STEPS_MAX_OWN];
	size_t n_own; /* in the whole session */
	/* Called with the `stopped` event that ends the step; borrowed. */
	void (*stopped)(void *arg, struct json_object *event);
	/* Called when the program starts to run for the step. */
	void (*resumes)(void *arg);
	void *arg;
};

/* Return whether this `stopped` is only for the step, or will be reported when it has ended the step. */
bool steps_take_stop(struct steps *s, struct json_object *event);
/* Return whether the client's `pause` is answered here, because the program is already stopped for the step. */
bool steps_take_pause(struct steps *s, struct json_object *request);

/* The client resumes the program: cancel a step that does not run yet. */
void steps_give_way(struct steps *s);

/* The program or its debugger has exited: forget the step. */
void steps_forget(struct steps *s);
void steps_deinit(struct steps *s);

/* For the start of a step (step_start.c) */

/* Return the request for the state of the step's thread, and if needed of the threads at the function. */
struct json_object *steps_create_query(const struct steps *s);
/* Return the entry point at which the thread of @answer is stopped, if its caller is acceptable; otherwise NULL. */
struct json_object *steps_entry_at(const struct steps *s, struct json_object *answer);
/* Enter the region: the thread is stopped at the entry point @place. Returns NULL if the step continues, otherwise why
 * it cannot. */
const char *steps_begin_region(struct steps *s, struct json_object *place, struct json_object *answer);
/* Remove the planted breakpoints, plant one at @address, and resume. */
void steps_expect(struct steps *s, enum steps_phase phase, uint64_t address, uint64_t cfa);
/* Handle the answer to planted breakpoints: resume the program. @arg: the steps. */
step_script_fn steps_planted;
/* End a step that has not run yet. */
void steps_refuse(struct steps *s, const char *why);

#endif
