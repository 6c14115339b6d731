/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of breakpoints, shared by breakpoints.c and hits.c only. */
#ifndef OMPDD_WORKER_BREAKPOINT_LIST_H
#define OMPDD_WORKER_BREAKPOINT_LIST_H

#include "worker/control/breakpoints.h"
#include "worker/control/calls.h"

/* The worker's answer to a question of the tracer about a thread. The thread's arrival may become a hit later. */
struct judged {
	pid_t tid; /* 0: unused entry */
	uint32_t breakpoint;
	uint64_t address;
	bool counts;
};

/* Beyond this number the oldest answers are dropped, and their hits are counted twice. */
#define JUDGED_MAX 256

struct breakpoints {
	struct breakpoint *first;
	size_t n;
	uint32_t last_number;
	struct calls calls;
	struct judged judged[JUDGED_MAX];
	size_t next_judged;
	bool threads_changed;
	struct breakpoint_place hit_place;
	struct breakpoint *hit_once; /* removed from the list, but still returned by breakpoints_hit() */
};

/* Plant a further place of @b. The target is stopped. ERR_LIMIT_EXCEEDED, ERR_BREAKPOINT_IMPOSSIBLE. */
MUST_USE struct error *breakpoint_add_place(struct worker *w, struct breakpoint *b, const struct event_place *at,
					    bool is_learnt);
/* Remove @b from the target, which is stopped, and from the list. The caller owns @b then. */
void breakpoint_take_out(struct worker *w, struct breakpoint *b);
void breakpoint_destroy(struct breakpoint *b);

#endif
