/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Derives the state of a thread from its call chain. */
#include "openmp/sampling/call_chain.h"

/* Return whether it is a runtime's thread that executes no code of the program. */
static bool has_no_code(const struct call_chain *t)
{
	return !t->is_whole && !t->n;
}

bool call_chain_is_at_region_end(const struct call_chain *t)
{
	return (t->is_pool && has_no_code(t)) || t->construct == CONSTRUCT_PARALLEL || t->construct == CONSTRUCT_TEAMS;
}

enum profile_state call_chain_barrier(const struct call_chain *t)
{
	if (t->is_pool && has_no_code(t))
		return PROFILE_BARRIER_IMPLICIT;
	switch ((int)t->construct) {
	case CONSTRUCT_PARALLEL:
	case CONSTRUCT_TEAMS:
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
	case CONSTRUCT_SINGLE:
		return PROFILE_BARRIER_IMPLICIT;
	default:
		return PROFILE_BARRIER;
	}
}

enum profile_state call_chain_state(const struct call_chain *t, int64_t level)
{
	bool in_region = t->knows_region ? t->is_in_region : level > 0;

	if (!t->in_runtime)
		return in_region ? PROFILE_WORK : PROFILE_SERIAL;
	if (t->at_device)
		return PROFILE_TARGET;
	if (t->at_barrier)
		return call_chain_barrier(t);
	/* Threads of nested teams have no pool to return to: they start or end. */
	if (has_no_code(t) && (t->is_pool && t->knows_barrier ? level <= 1 : !in_region))
		return PROFILE_IDLE;
	switch ((int)t->construct) {
	case CONSTRUCT_BARRIER:
		return PROFILE_BARRIER;
	case CONSTRUCT_CRITICAL:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_CRITICAL;
	case CONSTRUCT_ATOMIC:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_ATOMIC;
	case CONSTRUCT_LOCK:
		return t->at_lock ? PROFILE_LOCK : PROFILE_OVERHEAD;
	case CONSTRUCT_ORDERED:
		return t->at_end ? PROFILE_OVERHEAD : PROFILE_ORDERED;
	case CONSTRUCT_TASKWAIT:
		return PROFILE_TASKWAIT;
	case CONSTRUCT_TASKGROUP:
		return t->at_end ? PROFILE_TASKGROUP : PROFILE_OVERHEAD;
	case CONSTRUCT_SINGLE:
	case CONSTRUCT_LOOP:
	case CONSTRUCT_SECTIONS:
		return t->at_end ? PROFILE_BARRIER_IMPLICIT : PROFILE_OVERHEAD;
	default:
		return PROFILE_OVERHEAD;
	}
}

bool call_chain_can_be(const struct call_chain *t, enum profile_state state)
{
	switch (state) {
	case PROFILE_WORK:
		return !t->in_runtime && (!t->knows_region || t->is_in_region);
	case PROFILE_SERIAL:
		return !t->in_runtime && (!t->knows_region || !t->is_in_region);
	case PROFILE_ASLEEP:
		return !t->in_runtime;
	case PROFILE_CRITICAL:
		return t->in_runtime && t->construct == CONSTRUCT_CRITICAL;
	case PROFILE_LOCK:
		return t->in_runtime && t->construct == CONSTRUCT_LOCK;
	case PROFILE_ATOMIC:
		return t->in_runtime && t->construct == CONSTRUCT_ATOMIC;
	case PROFILE_TASKWAIT:
		return t->in_runtime && t->construct == CONSTRUCT_TASKWAIT;
	case PROFILE_TASKGROUP:
		return t->in_runtime && t->construct == CONSTRUCT_TASKGROUP;
	case PROFILE_BARRIER_EXPLICIT:
	case PROFILE_BARRIER_IMPLICIT:
	case PROFILE_BARRIER:
	case PROFILE_IDLE:
		return t->in_runtime && t->construct != CONSTRUCT_CRITICAL && t->construct != CONSTRUCT_LOCK &&
		       t->construct != CONSTRUCT_ATOMIC && t->construct != CONSTRUCT_TASKWAIT;
	case PROFILE_TARGET:
		return t->at_device;
	case PROFILE_MUTEX:
	case PROFILE_ORDERED:
	case PROFILE_OVERHEAD:
		return t->in_runtime;
	case PROFILE_UNKNOWN:
	case PROFILE_N_STATES:
		break;
	}
	return false;
}
