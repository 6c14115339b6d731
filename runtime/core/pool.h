/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that wait to become members of a team. A thread that begins regions has a pool for each level of nesting: the
 * thread's `pool` is the one for the next region. Threads of a pool stay there until its primary thread ends; those
 * that the present region does not need sleep.
 */
#ifndef OMPDD_RUNTIME_CORE_POOL_H
#define OMPDD_RUNTIME_CORE_POOL_H

#include <stdint.h>

#include "core/places.h"
#include "core/sleep.h"
#include "os/spin.h"

struct icv;
struct task;
struct team;
struct thread;

/* What there is to do before the region's function. */
enum {
	SEAT_FIRST = 1,	  /* the region begins within a worksharing construct */
	SEAT_PLACE = 2,	  /* go to another place, or get another partition */
	SEAT_DISPLAY = 4, /* OMP_DISPLAY_AFFINITY */
	SEAT_REPORT = 8,  /* say that the implicit task begins, and when it ends */
};

/*
 * A pool thread's place to wait. The first line is all that it must read to begin a region. The primary thread fills it
 * in and stores `go` at last, which releases the rest; nothing in between that would have it wait for the line, or lose
 * it to the thread that looks at it all the time.
 */
struct seat {
	void (*fn)(void *) __attribute__((aligned(CACHE_LINE)));
	void *data;
	struct team *team;
	struct task *encountering;
	const struct icv *icv;
	uint32_t n_threads;	/* 0: end the thread */
	uint32_t epoch;		/* of the region */
	uint32_t barrier_count; /* see core/barrier.h */
	uint32_t ended;		/* the same of the region's end, when all are there */
	uint32_t orders;	/* SEAT_FIRST … */
	uint32_t go;		/* counts the calls; atomic */

	/* Written by the seat's own thread. */
	uint32_t asleep __attribute__((aligned(CACHE_LINE))); /* 1: it sleeps on pool->bell, or is about to; atomic */
	uint32_t helping; /* it looks for tasks of the region whose end it has reached; atomic */

	/* Seldom written. */
	struct pool *pool __attribute__((aligned(CACHE_LINE)));
	struct thread *thread;	    /* who sits there, from the moment it is created; atomic */
	uint32_t thread_num;	    /* in every team of this pool */
	struct placement placement; /* with SEAT_PLACE */
};

struct pool {
	struct thread *primary;
	struct team *team;    /* reused as long as it is big enough; NULL: none yet */
	struct team *retired; /* smaller ones: a thread in its seat may still look at its last team; by next_free */
	struct seat **seats;  /* of thread_num 1 and up */
	uint32_t n_seats;     /* threads there are */
	uint32_t capacity;
	uint32_t references; /* its threads and its primary thread; atomic */
	uint32_t bell;	     /* counts how often threads were woken that sleep in their seats; atomic */
	/* How the seats were last assigned to places: policy and size of the team, and where the primary thread was. */
	enum bind bind;
	uint32_t bind_threads;
	struct placement bind_primary;
	uint32_t shown_threads,
		shown_format; /* what was displayed last: size of the team, affinity_format_generation */
	struct pool *inner;   /* for regions within; NULL: none yet. While in use: thread.pool */
};

/* The pool of @t for its next region: with a team for @n_threads, and as many seats. */
struct pool *pool_prepare(struct thread *t, uint32_t n_threads);
/* Start the thread of a new seat: it waits there for its call, as those do that there are. */
void pool_start_thread(struct pool *pool, struct seat *seat);
/* End all threads of it and of those within; frees it as soon as they are gone. */
void pool_destroy(struct pool *pool);
/* Free it: after fork(), its threads do not exist. */
void pool_forget(struct pool *pool);
/* Wake threads that sleep in the seats of @team's members. */
void pool_wake(struct team *team);
/* Wait until no thread in a seat looks for tasks of @team's region any more. */
void pool_wait_helpers(struct team *team);

/*
 * Wake the threads of some seats by one system call: seat_rouse() for each, then pool_ring() with all that it returned.
 * (If each had a word of its own, a thread that was woken would take the CPU from another program, be ready with its
 * part of a short region, and give it back, before the next is woken.)
 */
uint32_t seat_rouse_slow(struct seat *seat) __attribute__((cold));
void pool_ring(struct pool *pool, uint32_t bits) __attribute__((cold));

static inline uint32_t seat_rouse(struct seat *seat)
{
	return unlikely(sleep_is_said(&seat->asleep)) ? seat_rouse_slow(seat) : 0;
}

/* The seat is filled in: its thread may begin. Returns what seat_rouse() does. */
static inline uint32_t seat_call(struct seat *seat)
{
	__atomic_store_n(&seat->go, seat->go + 1, __ATOMIC_RELEASE);
	return seat_rouse(seat);
}

#endif
