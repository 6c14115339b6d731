/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The companion's steps by parallel regions. ompdd knows the regions and their teams, the native debugger holds the
 * threads: it is asked by a script of ours that runs in it (openmp_steps.py).
 */
#ifndef OMPDD_DAP_COMPANION_STEPS_H
#define OMPDD_DAP_COMPANION_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct companion;
struct json_object;

/* Breakpoints of steps whose numbers are remembered, the last ones. */
#define STEPS_MAX_OWN 256

enum steps_phase {
	STEPS_NONE,
	STEPS_BEGINS,  /* it stands, and where the step leads is being found out */
	STEPS_ENTRY,   /* the thread is to come to one of the runtime's entry points */
	STEPS_MEMBERS, /* the team is to come to the region's function */
	STEPS_RETURN,  /* the call of the region is to return */
};

enum steps_kind { STEPS_INTO, STEPS_OVER, STEPS_OUT };

struct steps {
	enum steps_phase phase;
	enum steps_kind kind;
	uint64_t turn;		     /* counts steps: an answer that comes later is of none */
	int64_t tid;		     /* whose step it is; out of a region: who met it */
	struct json_object *request; /* the client's, until it is answered; owned */
	struct json_object *regions; /* places of entry, as breakpoint.addresses has them; owned */
	struct json_object *begins;  /* the runtime's own places where regions begin; owned */
	struct json_object *at;	     /* who has come to the function; owned */
	struct json_object *other;   /* a `stopped` that is not for the step, until it is known to be of now; owned */
	size_t parallel;	     /* out of which; in the view of the stop */
	uint64_t address, cfa;	     /* of the function; where the call returns to, and its frame */
	bool is_loaded;		     /* the native adapter has the script */
	bool is_asking;		     /* it stands, and is asked how */
	bool has_more;		     /* meanwhile another stop was told of */
	bool wants_stop;	     /* the client does, meanwhile */
	int64_t own[STEPS_MAX_OWN];
	size_t n_own; /* of all times */
};

/* Whether the native adapter is one that can be asked. */
bool steps_are_offered(const struct companion *c);

/* `ompdd/step`, and `stepIn` to a target of ours. */
void steps_request(struct companion *c, struct json_object *request);
/* Whether @request is a `stepIn` to a target of ours. */
bool steps_is_target(struct json_object *request);
void steps_targets(struct companion *c, struct json_object *request);

/* Whether this `stopped` is for the step alone, or will be told when the step has ended by it. */
bool steps_take_stop(struct companion *c, struct json_object *event);
/* Whether the client's `pause` is answered here: the program stands already, for the step. */
bool steps_take_pause(struct companion *c, struct json_object *request);

/* The client goes on: a step that has not begun to run is none. */
void steps_give_way(struct companion *c);

/* The program is gone, or its debugger. */
void steps_forget(struct companion *c);
void steps_deinit(struct companion *c);

#endif
