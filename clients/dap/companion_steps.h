/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The companion's steps by parallel regions. ompdd knows the regions and their teams, the native debugger holds the
 * threads. Our script, which runs in the native debugger (openmp_steps.py), answers questions about them.
 */
#ifndef OMPDD_DAP_COMPANION_STEPS_H
#define OMPDD_DAP_COMPANION_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct companion;
struct json_object;

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
	enum steps_phase phase;
	enum steps_kind kind;
	uint64_t turn;		     /* counts steps: an answer to an earlier step is ignored */
	int64_t tid;		     /* the thread that steps; out of a region: its encountering thread */
	struct json_object *request; /* of the client, until it is answered; owned */
	struct json_object *regions; /* entry points, as in breakpoint.addresses; owned */
	struct json_object *begins;  /* the runtime's own places at which regions begin; owned */
	struct json_object *at;	     /* threads at the function; owned */
	struct json_object *other;   /* a `stopped` that is not for the step, until it is known to be current; owned */
	size_t parallel;	     /* the region to leave; index in the view of the stop */
	uint64_t address, cfa;	     /* of the function; return address of the call, and its frame */
	bool is_loaded;		     /* the script is in the native adapter */
	bool is_asking;		     /* the program is stopped, and its state was requested from the script */
	bool has_more;		     /* another stop was reported meanwhile */
	bool wants_stop;	     /* the client has requested a stop meanwhile */
	int64_t own[STEPS_MAX_OWN];
	size_t n_own; /* in the whole session */
};

/* Return whether the native adapter supports steps. */
bool steps_are_offered(const struct companion *c);

/* Handle `ompdd/step`, and `stepIn` to one of our targets. */
void steps_request(struct companion *c, struct json_object *request);
/* Return whether @request is a `stepIn` to one of our targets. */
bool steps_is_target(struct json_object *request);
void steps_targets(struct companion *c, struct json_object *request);

/* Return whether this `stopped` is only for the step, or will be reported when it has ended the step. */
bool steps_take_stop(struct companion *c, struct json_object *event);
/* Return whether the client's `pause` is answered here, because the program is already stopped for the step. */
bool steps_take_pause(struct companion *c, struct json_object *request);

/* The client resumes the program: cancel a step that does not run yet. */
void steps_give_way(struct companion *c);

/* The program or its debugger has exited: forget the step. */
void steps_forget(struct companion *c);
void steps_deinit(struct companion *c);

#endif
