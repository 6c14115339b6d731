/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread of the runtime. The struct is in thread-local storage (initial-exec, so that a read is one instruction). It
 * must stay small, because a dlopen()ed library has little of that storage. Large parts are behind `member` and
 * `pool`.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_THREAD_H
#define OMPDD_RUNTIME_CORE_STATE_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "omp-tools.h"

struct member;
struct pool;
struct region_count;
struct region_counts;
struct seat;
struct task;
struct team;

/* The place of a thread, and the partition for its own teams. */
struct placement {
	uint32_t place;	     /* number + 1; 0: not bound */
	uint32_t first, len; /* its partition */
};

#define WAIT_SPINS 200 /* most pauses before the first yield; a few microseconds */

struct thread {
	struct team *team;	  /* the current team; NULL: the thread is not known to the runtime yet */
	struct task *task;	  /* the current task; NULL if team is */
	struct member *member;	  /* its place in team: &team->members[thread_num] */
	uint32_t thread_num;	  /* 0 if team is NULL */
	uint32_t state;		  /* ompt_state_t; plain stores, always kept */
	uint64_t wait_id;	  /* ompt_wait_id_t: address of the object that it waits for; 0: none */
	uint32_t n_threads;	  /* team->n_threads; 1 if team is NULL */
	uint32_t epoch;		  /* team->epoch of its region; if the team has another one, the thread is idle */
	uint32_t barrier_count;	  /* arrival count of the team's last complete barrier; see core/state/barrier_word.h */
	uint32_t lock_word;	  /* what it writes into the locks that it holds: THREAD_LOCK_WORD() */
	struct pool *pool;	  /* threads that form teams under this one; NULL: none yet */
	struct seat *seat;	  /* pool threads: their seat, see core/state/seat.h; NULL: a root thread */
	struct team *spare_teams; /* teams of one, for serialized regions; by next_free */
	int32_t place;		  /* place-partition: number of the place it is bound to + 1; 0: not bound */
	uint32_t place_first, place_len; /* place-partition-var: the places it may use */
	pid_t tid;
	bool is_pool;		    /* created by the runtime */
	bool yields;		    /* the next task that it starts, it runs for taskyield; see tools/ompt_task.c */
	struct thread *next, *prev; /* of runtime_root.threads */
	uint64_t pthread;	    /* pthread_self() */
	uint32_t spins;		    /* how long it spins before it yields; see core/sync/wait.h */
	uint64_t no_yields;	    /* it sleeps instead of yielding until then (os/clock); 0: it always yielded */
	uint32_t long_for;	    /* and did so for this many times the duration of its last long yield */
	uint64_t beaten;	    /* last time another thread was faster (os/clock); see core/sync/wait.h, */
	uint32_t beaten_behind;	    /* and barrier_count at that time */
	uint16_t n_shared;	    /* twice the yields that others used, minus those that no thread used */
	uint8_t n_moves;	    /* how often it changed the CPU for that, up to a limit */
	uint64_t serial;	    /* of the thread, and number of its regions: team.sequence */
	uint64_t n_regions;
	struct region_count *counted; /* of the last region that it encountered; see core/team/region_count.h */
	struct region_counts *counts;
	uint64_t tool_data; /* a tool's word (tools/ompt.h) */
	uint32_t requested; /* threads that its last parallel construct requested, if it got fewer */
};

/* Exported as ompd_thread: a debugger reads this symbol in each thread. */
extern __thread struct thread thread_tls __asm__("ompd_thread")
	__attribute__((tls_model("initial-exec"), visibility("protected")));

/* Returns the calling thread, which may be unknown to the runtime yet (team is NULL then). */
static inline struct thread *thread_peek(void)
{
	return &thread_tls;
}

/* States and frames are always kept. tests/bench builds a runtime without them, to measure their cost. */
#ifndef RUNTIME_TRACKS
#define RUNTIME_TRACKS 1
#endif

static inline void state_set(struct thread *t, ompt_state_t state)
{
	if (RUNTIME_TRACKS)
		__atomic_store_n(&t->state, (uint32_t)state, __ATOMIC_RELEASE);
}

/*
 * Thread states (OMPT 5.2, 4.4.4.28). A wait sets state and wait_id before it spins, and restores the result of
 * state_wait(). wait_id comes first: a reader that sees the state sees its wait id.
 */
static inline uint32_t state_wait(struct thread *t, ompt_state_t state, const void *wait_id)
{
	uint32_t before = t->state;

	if (RUNTIME_TRACKS)
		__atomic_store_n(&t->wait_id, (uint64_t)(uintptr_t)wait_id, __ATOMIC_RELAXED);
	state_set(t, state);
	return before;
}

static inline void state_restore(struct thread *t, uint32_t before)
{
	if (!RUNTIME_TRACKS)
		return;
	__atomic_store_n(&t->state, before, __ATOMIC_RELAXED);
	__atomic_store_n(&t->wait_id, 0, __ATOMIC_RELAXED);
}

#endif
