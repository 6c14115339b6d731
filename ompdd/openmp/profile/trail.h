/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one stack says to a profile: its frames, without the runtime's, from the outermost in, and where on it regions
 * and explicit tasks begin. How the stack goes on beyond a thread's own is openmp/profile/path's part.
 */
#ifndef OMPDD_OPENMP_PROFILE_TRAIL_H
#define OMPDD_OPENMP_PROFILE_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/profile/tally.h"
#include "openmp/stacks/stack_holds.h"
#include "openmp/stacks/stacks.h"

/* Frames of a stack that are unwound. */
#define TRAIL_MAX_FRAMES 256
/* Regions and tasks that begin on one stack; more are passed over. */
#define TRAIL_MAX_MARKS 32

struct trail_mark {
	uint32_t at; /* what begins here is frames[at] and what is further in */
	bool is_task;
	uint64_t function; /* 0: not known */
};

struct trail {
	uint32_t *frames; /* numbers in tally.tree, outermost first; marks have none of their own */
	uint32_t n, cap;
	struct trail_mark marks[TRAIL_MAX_MARKS]; /* outermost first */
	uint32_t n_marks;
	bool is_whole;	    /* it begins with main(): not with a thread of the runtime's, and nothing is cut off */
	uint64_t outermost; /* the function of the program that it begins with; 0: not known, or none */
	bool is_pool;	    /* it begins with a thread of the runtime's, and nothing is cut off */
	/* Whether the code of a region is on it says whether its thread is in one; `is_in_region`: it is. */
	bool knows_region, is_in_region;
	bool in_runtime;	  /* innermost is code of the runtime, or what that called */
	enum construct construct; /* then: of the call into it */
	bool at_end;		  /* that call is to the end of a construct, where threads wait for each other */
	bool at_lock;		  /* that call is to get a lock */
	/* Whether it waits at a barrier of its team is told by the code that it is in; `at_barrier`: it does. */
	bool knows_barrier, at_barrier;
	struct stack_holds holds; /* of which locks; after trails_want_holds() */
	struct tally_place at;	  /* the innermost place of the program, else of what it calls; 0: there is none */
};

struct trails; /* those that were seen, by what was read for them */

MUST_USE struct error *trails_create(struct tally *tally, struct trails **ret);
void trails_destroy(struct trails *t);

/*
 * The trail of @copy, a stack of a thread of @m's target; modules are those of the present view. NULL when there are no
 * frames. Borrowed until trails_generation() changes.
 */
const struct trail *trails_get(struct trails *t, struct model *m, const struct stack_copy *copy);
/* Changes when all trails were forgotten: they were too many, or modules came or went. */
uint64_t trails_generation(const struct trails *t);

/* From now on trails say what is held. */
void trails_want_holds(struct trails *t);

/* Whether a thread on this stack can be in @state. */
bool trail_can_be(const struct trail *t, enum profile_state state);
/* What the state of a running thread on this stack is, where memory does not say it. @level: that of its region, by
 * memory, which may be of another moment. */
enum profile_state trail_state(const struct trail *t, int64_t level);
/* Which of the barriers it is, if a thread on this stack waits at one. */
enum profile_state trail_barrier(const struct trail *t);

#endif
