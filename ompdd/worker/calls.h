/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that have been seen at their entry, and whose return is an event that a breakpoint waits for. */
#ifndef OMPDD_WORKER_CALLS_H
#define OMPDD_WORKER_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "worker/breakpoints.h"

/* Older ones are forgotten. */
#define CALLS_MAX 65536

struct target_event;
struct worker;

/* One. */
struct call {
	uint32_t breakpoint;
	pid_t tid;
	uint64_t address; /* to which it returns */
	uint64_t sp;	  /* when it has returned */
	struct breakpoint_place place;
};

/* Oldest first; all zero is none. */
struct calls {
	struct call *first;
	size_t n, cap;
};

void calls_deinit(struct calls *calls);

/* Wait for the return of the call that @e begins, at @place of breakpoint number @breakpoint; the target is stopped. */
MUST_USE struct error *calls_expect(struct worker *w, struct calls *calls, uint32_t breakpoint,
				    const struct breakpoint_place *place, const struct target_event *e,
				    uint64_t return_address);
/* Whether the call number @i is the one that returns with @e. */
bool calls_is_back(const struct calls *calls, size_t i, const struct target_event *e);
/* Wait for it no longer; those behind it move up. */
void calls_drop(struct worker *w, struct calls *calls, size_t i);
void calls_drop_all_of(struct worker *w, struct calls *calls, uint32_t breakpoint);

#endif
