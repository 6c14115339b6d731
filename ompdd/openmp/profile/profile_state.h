/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sampled thread was doing: OMPT's states, folded into those that a profile tells apart. */
#ifndef OMPDD_OPENMP_PROFILE_STATE_H
#define OMPDD_OPENMP_PROFILE_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the protocol's profile_state. */
enum profile_state {
	PROFILE_WORK,		  /* executes a parallel region or task */
	PROFILE_SERIAL,		  /* executes outside of parallel regions */
	PROFILE_BARRIER_EXPLICIT, /* waits at a barrier construct */
	PROFILE_BARRIER_IMPLICIT, /* at the end of a region, loop, single or sections */
	PROFILE_BARRIER,	  /* one or the other */
	PROFILE_TASKWAIT,
	PROFILE_TASKGROUP,
	PROFILE_CRITICAL,
	PROFILE_LOCK,
	PROFILE_ATOMIC,
	PROFILE_MUTEX, /* one of these three, or the runtime's own */
	PROFILE_ORDERED,
	PROFILE_TARGET,
	PROFILE_IDLE, /* in no team */
	PROFILE_OVERHEAD,
	PROFILE_UNKNOWN, /* nothing proves one of these */
	PROFILE_N_STATES,
};

/* Of a value of ompt_state_t; what a library adds to those is unknown. */
enum profile_state profile_state_of(int64_t ompt_state);
/* The protocol's name, a literal. */
const char *profile_state_name(enum profile_state state);
/* Whether a thread in it waits for others. */
bool profile_state_waits(enum profile_state state);
/* Whether it waits at something that has an address: a lock or what is like one. */
bool profile_state_at_lock(enum profile_state state);

#endif
