/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The data of one stack for a profile: its frames without the runtime's, outermost first, and the starts of regions and
 * explicit tasks on it. openmp/sampling/path continues the stack beyond the thread's own.
 */
#ifndef OMPDD_OPENMP_PROFILE_CALL_CHAIN_H
#define OMPDD_OPENMP_PROFILE_CALL_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "openmp/sampling/tally.h"
#include "openmp/stacks/stack_holds.h"
#include "openmp/stacks/stacks.h"

/* Limit for the unwound frames of a stack. */
#define CALL_CHAIN_MAX_FRAMES 256
/* Limit for the regions and tasks that start on one stack; further ones are ignored. */
#define CALL_CHAIN_MAX_MARKS 32

struct call_chain_mark {
	uint32_t at; /* frames[at] and the frames further in start here */
	bool is_task;
	uint64_t function; /* 0: not known */
};

struct call_chain {
	uint32_t *frames; /* numbers in tally.tree, outermost first; marks have none of their own */
	uint32_t n, cap;
	struct call_chain_mark marks[CALL_CHAIN_MAX_MARKS]; /* outermost first */
	uint32_t n_marks;
	bool is_whole;	    /* it starts with main(), not with a thread of the runtime, and is complete */
	uint64_t outermost; /* the program's function that it starts with; 0: not known, or no such function */
	bool is_pool;	    /* it starts with a thread of the runtime, and is complete */
	/*
	 * `knows_region`: the stack shows whether the thread is in a region, by the region's code. `is_in_region`: it
	 * is.
	 */
	bool knows_region, is_in_region;
	bool in_runtime;	  /* the innermost frame is the runtime's, or of code that it called */
	enum construct construct; /* if in_runtime: of the call into the runtime */
	bool at_end;		  /* that call is to the end of a construct, where threads wait for each other */
	bool at_lock;		  /* that call acquires a lock */
	bool at_device;		  /* that call waits for a device */
	/* `knows_barrier`: the code shows whether the thread waits at a barrier of its team. `at_barrier`: it does. */
	bool knows_barrier, at_barrier;
	struct stack_holds holds; /* held locks; set after call_chains_want_holds() */
	struct tally_place at;	  /* the innermost place of the program, else of code that it calls; 0: no place */
};

struct call_chains; /* the known chains, by the words that were read for them */

MUST_USE struct error *call_chains_create(struct tally *tally, struct call_chains **ret);
void call_chains_destroy(struct call_chains *t);

/* Starts a sampling: reads the functions of Python that the threads of @target execute, within a view. */
void call_chains_start(struct call_chains *t, struct target *target);
/*
 * Returns the chain of @copy, a stack of a thread of @m's target; modules are those of the present view. Returns NULL
 * if there are no frames. The chain is borrowed until call_chains_generation() changes. @is_exact: the thread has slept
 * or been stopped since call_chains_start().
 */
const struct call_chain *call_chains_get(struct call_chains *t, struct model *m, const struct stack_copy *copy,
					 bool is_exact);
/* Returns a number that changes when all chains are dropped: they were too many, or modules were loaded or unloaded. */
uint64_t call_chains_generation(const struct call_chains *t);

/* Makes chains contain held locks from now on. */
void call_chains_want_holds(struct call_chains *t);

/* openmp/sampling/call_chain_state.c */

/* Returns whether a thread on this stack can be in @state. */
bool call_chain_can_be(const struct call_chain *t, enum profile_state state);
/*
 * Returns the state of a running thread on this stack, for a thread without a state in memory. @level: of its region in
 * memory, which may be of another moment.
 */
enum profile_state call_chain_state(const struct call_chain *t, int64_t level);
/* Returns whether a waiting thread on this stack waits at the end of a parallel region. */
bool call_chain_is_at_region_end(const struct call_chain *t);
/* Returns the kind of barrier that a thread on this stack waits at, if it does. */
enum profile_state call_chain_barrier(const struct call_chain *t);

#endif
