/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of OpenMP events, and the calls and returns of functions that show them. */
#ifndef OMPDD_OPENMP_EVENT_H
#define OMPDD_OPENMP_EVENT_H

#include <stdint.h>

enum event_kind {
	EVENT_PARALLEL_BEGIN, /* the encountering thread, before the team exists */
	EVENT_PARALLEL_END,   /* the same thread, after the region */
	EVENT_TASK_BEGIN,     /* an explicit task starts to execute */
	EVENT_TASK_END,
	EVENT_THREAD_BEGIN, /* a thread that the runtime created */
	EVENT_THREAD_END,
	EVENT_DLL_LOCATIONS_VALID,
	EVENT_TEAMS_BEGIN, /* a league */
	EVENT_TEAMS_END,
	EVENT_TARGET_BEGIN, /* a target region that the host executes */
	EVENT_TARGET_END,
	EVENT_DEVICE_BEGIN,
	EVENT_DEVICE_END,
	/*
	 * OMPD has no functions for the following events. ENTER: a thread arrives at the construct. EXIT: the thread
	 * has left it.
	 */
	EVENT_BARRIER_ENTER, /* a barrier directive */
	EVENT_BARRIER_EXIT,
	EVENT_BARRIER_ALL_ENTERED, /* the last thread of the team has arrived */
	EVENT_IMPLICIT_BARRIER_ENTER,
	EVENT_IMPLICIT_BARRIER_EXIT,
	EVENT_TASKWAIT_ENTER,
	EVENT_TASKWAIT_EXIT,
	EVENT_ORDERED_ACQUIRE,	/* a thread starts to wait for its turn */
	EVENT_ORDERED_ACQUIRED, /* its turn has come */
	EVENT_ORDERED_RELEASE,	/* it passes the turn on */
	EVENT_CRITICAL_ACQUIRE,
	EVENT_CRITICAL_ACQUIRED,
	EVENT_CRITICAL_RELEASE,
	EVENT_ATOMIC_ACQUIRE,
	EVENT_ATOMIC_ACQUIRED,
	EVENT_ATOMIC_RELEASE,
	EVENT_LOCK_ACQUIRE,
	EVENT_LOCK_ACQUIRED,
	EVENT_LOCK_RELEASE,
	EVENT_SINGLE_ENTER, /* each thread that arrives */
	EVENT_SINGLE_BEGIN, /* the thread that executes it */
	EVENT_TASK_CREATE,
	EVENT_TARGET_DATA, /* a thread starts to map, update or copy data of a device */
	EVENT_TARGET_DATA_END,
	EVENT_TARGET_SUBMIT, /* the runtime passes a region to the plugin of a device */
	EVENT_KINDS
};

/* The moment of the function at `address` that is the event. */
enum event_point {
	EVENT_AT_CALL,		  /* the function is called */
	EVENT_AT_RETURN,	  /* the function returns */
	EVENT_AT_ARGUMENT_CALL,	  /* the function that is its argument is called */
	EVENT_AT_ARGUMENT_RETURN, /* the function that is its argument returns */
};

/* The value that the function must return if its return is the event. */
enum event_result {
	EVENT_ANY_RESULT,
	EVENT_RESULT_BOOL, /* true */
	EVENT_RESULT_INT,  /* not 0 */
	EVENT_RESULT_NULL, /* a null pointer */
};

/*
 * Bits of the word that the first argument points to. A call counts only if they have this value. Mask 0: every call
 * counts.
 */
struct event_word {
	uint32_t offset, mask, value;
};

/* The callers whose calls count. */
enum event_caller { EVENT_ANY_CALLER, EVENT_CALLER_NOT_RUNTIME, EVENT_CALLER_RUNTIME };

/* Returns the name of @kind, for example "parallel_begin": a literal. */
const char *event_name(enum event_kind kind);
/*
 * Returns the OMPD runtime function that is called at the event (OpenMP 5.2, 20.6), for example
 * "ompd_bp_parallel_begin": a literal. Our own runtime has one more function, for barrier_all_entered. Returns NULL for
 * an event without a function.
 */
const char *event_ompd_function(enum event_kind kind);

#endif
