/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread as the runtime sees it. The struct lives in thread-local storage (initial-exec, so that reading it is one
 * instruction), which must stay small: a dlopen()ed library has little of it. What is big hangs off `member` and
 * `pool`.
 */
#ifndef OMPDD_RUNTIME_CORE_THREAD_H
#define OMPDD_RUNTIME_CORE_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "omp-tools.h"
#include "os/spin.h"

struct icv;
struct member;
struct pool;
struct region_count;
struct region_counts;
struct seat;
struct task;
struct team;
struct workshare;

/*
 * What says in a lock who holds it: a number that no other thread has, had, or will have, so that it is never taken for
 * another's. The runtime meets a thread that acquires a lock of the program's; of those that come after 2^28 others
 * nothing is known. Lock words of OpenMP 2.5's (abi/omp_lock_25.c) do not have the first bit.
 */
#define THREAD_LOCK_UNKNOWN 0x40000000u
#define THREAD_LOCK_WORD(serial)                                                                                       \
	((serial) < 1u << 28 ? THREAD_LOCK_UNKNOWN | (uint32_t)(serial) << 1 : THREAD_LOCK_UNKNOWN)

struct thread {
	struct team *team;	/* the current; NULL: the runtime has not met this thread yet */
	struct task *task;	/* the current; NULL with team */
	struct member *member;	/* its place in team: &team->members[thread_num] */
	uint32_t thread_num;	/* 0 also while team is NULL */
	uint32_t state;		/* ompt_state_t; plain stores, always kept */
	uint64_t wait_id;	/* ompt_wait_id_t: address of what it waits for; 0: nothing */
	uint32_t n_threads;	/* team->n_threads; 1 also while team is NULL: see thread_num */
	uint32_t epoch;		/* team->epoch of the region it takes part in: another one there, the thread is idle */
	uint32_t barrier_count; /* arrivals after which the team's last barrier was complete; see core/barrier.h */
	uint32_t lock_word;	/* what it writes into the locks that it holds: THREAD_LOCK_WORD() */
	struct pool *pool;	/* threads that form teams under this one; NULL: none yet */
	struct seat *seat;	/* pool threads: where they wait for work, see core/pool.h; NULL: a root thread */
	struct team *spare_teams;	 /* teams of one, for serialized regions; by next_free */
	int32_t place;			 /* place-partition: number of the place it is bound to + 1; 0: not bound */
	uint32_t place_first, place_len; /* place-partition-var: the places it may use */
	pid_t tid;
	bool is_pool;		    /* made by the runtime */
	bool yields;		    /* the next task that it begins, it runs for taskyield; see tools/ompt_task.c */
	struct thread *next, *prev; /* of runtime_root.threads */
	uint64_t pthread;	    /* pthread_self() */
	uint32_t spins;		    /* how long it spins before it yields; see core/wait.h */
	uint64_t no_yields;	    /* until then (os/clock) it sleeps instead of yielding; 0: it yields */
	uint64_t beaten;	    /* when another was quicker, the last time (os/clock); see core/wait.h, */
	uint32_t beaten_behind;	    /* and barrier_count then */
	uint16_t n_shared;	    /* twice the yields of which others made use, less those of which nobody did */
	uint8_t n_moves;	    /* times that it went to another CPU for that, up to a limit */
	uint64_t serial;	    /* of the thread, and of the regions that it began: team.sequence */
	uint64_t n_regions;
	struct region_count *counted; /* of the last region that it encountered; see core/region_count.h */
	struct region_counts *counts;
	uint64_t tool_data; /* a tool's word (tools/ompt.h) */
	uint32_t requested; /* threads that its last parallel construct would have liked to have, if it got fewer */
};

/* Exported as ompd_thread: a debugger asks for this name in each thread. */
extern __thread struct thread thread_tls __asm__("ompd_thread")
	__attribute__((tls_model("initial-exec"), visibility("protected")));

/* The calling thread, which the runtime may not have met yet (team is NULL then). */
static inline struct thread *thread_peek(void)
{
	return &thread_tls;
}

/* Called once, by the library's constructor. */
void thread_init(void);
/* Of every thread: put it on the list, with the kernel's names for it; take it off, with all that it keeps. */
void thread_enter(struct thread *t);
void thread_leave(struct thread *t);

/* Make the calling thread a root thread: an implicit region of level 0 with a team of one, an initial task. */
void thread_register(struct thread *t) __attribute__((cold));

/* The calling thread; team, task and member are set. */
static inline struct thread *thread_self(void)
{
	struct thread *t = &thread_tls;

	if (unlikely(!t->team))
		thread_register(t);
	return t;
}

/* The same for what can be answered to a thread that the runtime has not met: it is met only if there is, or may be, a
 * tool. */
void thread_introduce(struct thread *t) __attribute__((cold));

static inline struct thread *thread_look(void)
{
	struct thread *t = &thread_tls;

	if (unlikely(!t->team))
		thread_introduce(t);
	return t;
}

/* States and frames are always kept. tests/bench builds a runtime that does not keep them, to measure what they cost.
 */
#ifndef RUNTIME_TRACKS
#define RUNTIME_TRACKS 1
#endif

static inline void state_set(struct thread *t, ompt_state_t state)
{
	if (RUNTIME_TRACKS)
		__atomic_store_n(&t->state, (uint32_t)state, __ATOMIC_RELEASE);
}

/*
 * Thread states (OMPT 5.2, 4.4.4.28): a wait sets state and wait_id before it spins and restores what state_wait()
 * gave. wait_id first: a reader that sees the state sees its wait id.
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
