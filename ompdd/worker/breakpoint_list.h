/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What breakpoints.c and hits.c share; for these two. */
#ifndef OMPDD_WORKER_BREAKPOINT_LIST_H
#define OMPDD_WORKER_BREAKPOINT_LIST_H

#include "worker/breakpoints.h"
#include "worker/calls.h"

/* What was said of a thread that the tracer asked for; it may be a hit all the same. */
struct judged {
	pid_t tid; /* 0: free */
	uint32_t breakpoint;
	uint64_t address;
	bool counts;
};

/* Of more the oldest are forgotten, and counted twice. */
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
	struct breakpoint *hit_once; /* taken out, but still spoken of */
};

/* Plant a further place of @b; the target is stopped. ERR_LIMIT_EXCEEDED, ERR_BREAKPOINT_IMPOSSIBLE. */
MUST_USE struct error *breakpoint_add_place(struct worker *w, struct breakpoint *b, const struct event_place *at,
					    bool is_learnt);
/* Out of the target, which is stopped, and out of the list; it is the caller's then. */
void breakpoint_take_out(struct worker *w, struct breakpoint *b);
void breakpoint_destroy(struct breakpoint *b);

#endif
