/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that wait to become members of a team. A thread that starts regions has a pool for each level of nesting;
 * its `pool` is the one for the next region. Pool threads stay until the pool's primary thread ends. Those that the
 * present region does not need sleep.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_SEAT_H
#define OMPDD_RUNTIME_CORE_STATE_SEAT_H

#include <stdint.h>

#include "core/state/icv.h"
#include "core/state/thread.h"
#include "os/spin.h"

struct task;
struct team;

/* Orders: steps before the region's function. */
enum {
	SEAT_FIRST = 1,	  /* the region starts within a worksharing construct */
	SEAT_PLACE = 2,	  /* move to another place, or get another partition */
	SEAT_DISPLAY = 4, /* OMP_DISPLAY_AFFINITY */
	SEAT_REPORT = 8,  /* report the start of the implicit task, and its end */
};

/*
 * A pool thread's place to wait. A thread reads only the first line to start a region. The primary thread fills it in
 * and stores `go` last, which releases the rest. In between it does nothing that would lose the line to the polling
 * thread.
 */
struct seat {
	void (*fn)(void *) __attribute__((aligned(CACHE_LINE)));
	void *data;
	struct team *team;
	struct task *encountering;
	const struct icv *icv;
	uint32_t n_threads;	/* 0: end the thread */
	uint32_t epoch;		/* of the region */
	uint32_t barrier_count; /* see core/state/barrier_word.h */
	uint32_t ended;		/* barrier_ended() after the end of the region */
	uint32_t orders;	/* SEAT_FIRST … */
	uint32_t go;		/* counts the calls; atomic */

	/* Written by the seat's own thread. */
	uint32_t asleep __attribute__((aligned(CACHE_LINE))); /* 1: it sleeps on pool->bell, or is about to; atomic */
	uint32_t helping; /* it helps with the region whose end it has reached; atomic */

	/* Seldom written. */
	struct pool *pool __attribute__((aligned(CACHE_LINE)));
	struct thread *thread;	    /* the seat's thread, once it is created; atomic */
	uint32_t thread_num;	    /* in every team of this pool */
	struct placement placement; /* with SEAT_PLACE */
};

struct pool {
	struct thread *primary;
	struct team *team;    /* reused while it is large enough; NULL: none yet */
	struct team *retired; /* smaller teams, by next_free: a thread in its seat may still read its last team */
	struct seat **seats;  /* of thread_num 1 and up */
	uint32_t n_seats;     /* existing threads */
	uint32_t capacity;
	uint32_t references; /* its threads and its primary thread; atomic */
	uint32_t bell;	     /* number of wakes of threads that sleep in their seats; atomic */
	/* The last assignment of the seats to places: policy, team size, and the primary thread's placement. */
	enum bind bind;
	uint32_t bind_threads;
	struct placement bind_primary;
	uint32_t shown_threads, shown_format; /* the last display: team size, affinity_format_generation */
	struct pool *inner; /* for inner regions; NULL: none yet. While this pool is in use: thread.pool */
};

#endif
