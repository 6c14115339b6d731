/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events of a traced process. */
#ifndef OMPDD_TARGET_EVENT_H
#define OMPDD_TARGET_EVENT_H

#include <stddef.h>

#include "target/trace/filter.h"
#include "target/arch/thread.h"

enum target_event_kind {
	TARGET_EVENT_HIT, /* all threads are stopped without a time limit, until target_resume() */
	TARGET_EVENT_ASK, /* only `tid` is stopped: target_answer() decides whether this hit counts */
	TARGET_EVENT_THREAD_STARTED,
	TARGET_EVENT_THREAD_EXITED,
	TARGET_EVENT_FORKED,
	TARGET_EVENT_EXECED, /* the process runs another program: all breakpoints are gone */
	TARGET_EVENT_EXITED,
	TARGET_EVENT_TRACER_LOST, /* all breakpoints are gone; the target runs unless a thread hit a breakpoint at
				   * that moment */
};

struct target_event {
	enum target_event_kind kind;
	pid_t tid;			      /* the thread that caused the event */
	uint64_t address;		      /* of the breakpoint */
	int64_t value;			      /* FORKED: the child; EXITED: the wait status, -1 when not known */
	int64_t noticed_us;		      /* HIT: CLOCK_MONOTONIC when the trap was seen */
	uint32_t n_lost;		      /* thread starts and ends that were not reported before this event */
	struct target_registers registers;    /* HIT, ASK: of @tid, at the breakpoint */
	uint64_t arguments[ARCH_N_ARGUMENTS]; /* HIT, ASK: of the function that starts there */
	uint32_t counted[FILTERS_MAX];	      /* HIT, ASK: the groups whose filters the hit passed */
	size_t n_counted;
};

#endif
