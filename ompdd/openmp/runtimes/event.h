/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of OpenMP events, and what about a function one of them can be. */
#ifndef OMPDD_OPENMP_EVENT_H
#define OMPDD_OPENMP_EVENT_H

#include <stdint.h>

enum event_kind {
	EVENT_PARALLEL_BEGIN, /* the encountering thread, before the team is there */
	EVENT_PARALLEL_END,   /* the same thread, behind the region */
	EVENT_TASK_BEGIN,     /* an explicit task begins to execute */
	EVENT_TASK_END,
	EVENT_THREAD_BEGIN, /* a thread that the runtime has made */
	EVENT_THREAD_END,
	EVENT_DLL_LOCATIONS_VALID,
	EVENT_TEAMS_BEGIN, /* a league */
	EVENT_TEAMS_END,
	EVENT_TARGET_BEGIN, /* a target region that the host executes */
	EVENT_TARGET_END,
	EVENT_DEVICE_BEGIN,
	EVENT_DEVICE_END,
	/* OMPD has no functions for what follows. A thread comes to the construct; it is behind it. */
	EVENT_BARRIER_ENTER, /* a barrier directive */
	EVENT_BARRIER_EXIT,
	EVENT_BARRIER_ALL_ENTERED, /* the last thread of the team has come to it */
	EVENT_IMPLICIT_BARRIER_ENTER,
	EVENT_IMPLICIT_BARRIER_EXIT,
	EVENT_TASKWAIT_ENTER,
	EVENT_TASKWAIT_EXIT,
	EVENT_ORDERED_ACQUIRE,	/* a thread is to wait for its turn, */
	EVENT_ORDERED_ACQUIRED, /* it is its turn, */
	EVENT_ORDERED_RELEASE,	/* and that of the next */
	EVENT_CRITICAL_ACQUIRE,
	EVENT_CRITICAL_ACQUIRED,
	EVENT_CRITICAL_RELEASE,
	EVENT_ATOMIC_ACQUIRE,
	EVENT_ATOMIC_ACQUIRED,
	EVENT_ATOMIC_RELEASE,
	EVENT_LOCK_ACQUIRE,
	EVENT_LOCK_ACQUIRED,
	EVENT_LOCK_RELEASE,
	EVENT_SINGLE_ENTER, /* each thread that comes to it */
	EVENT_SINGLE_BEGIN, /* the one that executes it */
	EVENT_TASK_CREATE,
	EVENT_KINDS
};

/* What about the function at `address` is the event. */
enum event_point {
	EVENT_AT_CALL,		  /* that it is called */
	EVENT_AT_RETURN,	  /* that it returns */
	EVENT_AT_ARGUMENT_CALL,	  /* that the function is called which it gets as an argument */
	EVENT_AT_ARGUMENT_RETURN, /* that this one returns */
};

/* At a return, what the function must have given back for it to be the event. */
enum event_result {
	EVENT_ANY_RESULT,
	EVENT_RESULT_BOOL, /* true */
	EVENT_RESULT_INT,  /* not 0 */
	EVENT_RESULT_NULL, /* a null pointer */
};

/* Bits of a word to which the first argument points, that must be so for a call to count; no mask: none. */
struct event_word {
	uint32_t offset, mask, value;
};

/* Whose calls count. */
enum event_caller { EVENT_ANY_CALLER, EVENT_CALLER_NOT_RUNTIME, EVENT_CALLER_RUNTIME };

/* "parallel_begin"; literals. */
const char *event_name(enum event_kind kind);
/* "ompd_bp_parallel_begin": the function of an OMPD runtime that is called then (OpenMP 5.2, 20.6), or of ours, which
 * has one more (barrier_all_entered); literals. NULL: there is none for it. */
const char *event_ompd_function(enum event_kind kind);

#endif
