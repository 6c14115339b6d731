/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that were seen at their entry, where a breakpoint waits for their return. */
#ifndef OMPDD_WORKER_CALLS_H
#define OMPDD_WORKER_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "worker/control/breakpoints.h"

/* Beyond this number the oldest calls are dropped. */
#define CALLS_MAX 65536

struct target_event;
struct worker;

struct call {
	uint32_t breakpoint;
	pid_t tid;
	uint64_t address; /* return address */
	uint64_t sp;	  /* stack pointer after the return */
	struct breakpoint_place place;
};

/* The oldest call comes first. All zeroes is a valid empty list. */
struct calls {
	struct call *first;
	size_t n, cap;
};

void calls_deinit(struct calls *calls);

/*
 * Expect the return of the call that starts with @e, at @place of breakpoint number @breakpoint. The target is stopped.
 */
MUST_USE struct error *calls_expect(struct worker *w, struct calls *calls, uint32_t breakpoint,
				    const struct breakpoint_place *place, const struct target_event *e,
				    uint64_t return_address);
/* Return whether @e is the return of call number @i. */
bool calls_is_back(const struct calls *calls, size_t i, const struct target_event *e);
/* Stop waiting for call number @i; later calls move up. */
void calls_drop(struct worker *w, struct calls *calls, size_t i);
void calls_drop_all_of(struct worker *w, struct calls *calls, uint32_t breakpoint);

#endif
