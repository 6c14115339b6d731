/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* States of a sampled thread: OMPT's states, grouped into those that a profile distinguishes. */
#ifndef OMPDD_OPENMP_PROFILE_STATE_H
#define OMPDD_OPENMP_PROFILE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the protocol's profile_state. */
enum profile_state {
	PROFILE_WORK,		  /* executes a parallel region or task */
	PROFILE_SERIAL,		  /* executes outside of parallel regions */
	PROFILE_BARRIER_EXPLICIT, /* waits at a barrier construct */
	PROFILE_BARRIER_IMPLICIT, /* waits at the end of a region, loop, single or sections */
	PROFILE_BARRIER,	  /* waits at an explicit or an implicit barrier */
	PROFILE_TASKWAIT,
	PROFILE_TASKGROUP,
	PROFILE_CRITICAL,
	PROFILE_LOCK,
	PROFILE_ATOMIC,
	PROFILE_MUTEX, /* waits at one of these three, or at a lock of the runtime's own */
	PROFILE_ORDERED,
	PROFILE_TARGET,
	PROFILE_IDLE,	/* belongs to no team */
	PROFILE_ASLEEP, /* sleeps in a system call of the program, in a region or outside */
	PROFILE_OVERHEAD,
	PROFILE_UNKNOWN, /* no evidence for one of these */
	PROFILE_N_STATES,
};

/* Converts a value of ompt_state_t. A library's own extra values are PROFILE_UNKNOWN. */
enum profile_state profile_state_of(int64_t ompt_state);
/* Returns the protocol's name, a literal. */
const char *profile_state_name(enum profile_state state);
/* Returns whether a thread in @state waits for others. */
bool profile_state_waits(enum profile_state state);
/* Returns whether it waits at an object with an address: a lock or a similar object. */
bool profile_state_at_lock(enum profile_state state);

#endif
