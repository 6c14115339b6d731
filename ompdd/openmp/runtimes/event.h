/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of OpenMP events, and what about a function one of them can be. */
#ifndef OMPDD_OPENMP_EVENT_H
#define OMPDD_OPENMP_EVENT_H

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
	EVENT_KINDS
};

/* What about the function at `address` is the event. */
enum event_point {
	EVENT_AT_CALL,		  /* that it is called */
	EVENT_AT_RETURN,	  /* that it returns */
	EVENT_AT_ARGUMENT_CALL,	  /* that the function is called which it gets as an argument */
	EVENT_AT_ARGUMENT_RETURN, /* that this one returns */
};

/* Whose calls count. */
enum event_caller { EVENT_ANY_CALLER, EVENT_CALLER_NOT_RUNTIME, EVENT_CALLER_RUNTIME };

/* "parallel_begin"; literals. */
const char *event_name(enum event_kind kind);
/* "ompd_bp_parallel_begin": the function of an OMPD runtime that is called then (OpenMP 5.2, 20.6); literals. */
const char *event_ompd_function(enum event_kind kind);

#endif
