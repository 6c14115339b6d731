/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Teams and parallel regions. A team is one allocation: this struct and its members. Its pool reuses it for regions of
 * the same and smaller sizes. abi/ calls team_begin(), the outlined function, and team_end().
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_TEAM_H
#define OMPDD_RUNTIME_CORE_STATE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/barrier_word.h"
#include "core/state/icv.h"
#include "core/state/lock_word.h"
#include "core/state/ready.h"
#include "core/state/task.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "os/spin.h"

/* One thread's part of a team, on cache lines of its own. */
struct member {
	struct thread *thread; /* NULL: not started yet */
	struct task implicit;  /* its implicit (or initial) task */
	uint64_t tasks_seen;   /* tasks_created at its last barrier */
	struct share share;    /* its place among the worksharing constructs */
	/* Tasks (core/task): deferred ones that this member created and completed. Only this member writes them. */
	uint64_t tasks_created __attribute__((aligned(CACHE_LINE)));
	uint64_t tasks_completed;
	uint64_t random;	      /* for the choice of a victim */
	uint64_t stole;		      /* time of its last theft (os/clock); 0: it has searched since */
	struct task *free_tasks;      /* free slots, */
	struct task *more_free_tasks; /* and a batch of them (core/task/task_slot) */
	struct task_slab *slabs;      /* memory of slots that this member allocated */
	struct taskgroup *free_groups;
	struct reduction *reduction; /* of its worksharing construct (core/task/reduction); NULL: none */
	struct deque deque;	     /* tasks that are ready */
	uint32_t asleep __attribute__((aligned(
		CACHE_LINE))); /* its word for sleeping alone (core/sync/sleep.h), used by core/task/task_wait.c */
} __attribute__((aligned(CACHE_LINE)));

/* The primary thread's fields outside of the region, restored at its end. */
struct outer {
	struct team *team;
	struct member *member;
	uint32_t thread_num, n_threads, epoch, barrier_count, state;
	int32_t place;
	uint32_t place_first, place_len;
};

struct team {
	uint32_t n_threads;	/* members of the present region */
	uint32_t capacity;	/* room for members */
	uint32_t level;		/* levels-var: 0 for an implicit region of a root thread */
	uint32_t active_level;	/* active-levels-var */
	struct team *enclosing; /* NULL: a root thread's implicit region */
	struct thread *primary; /* the thread that encountered the construct */
	void (*fn)(void *);	/* the region's outlined function; NULL: implicit region */
	void *data;
	struct site site;	      /* where the construct was encountered */
	struct task *encountering;    /* the task that encountered it; NULL: implicit region */
	uint64_t sequence;	      /* unique number of the region in the process, for reused memory */
	struct pool *pool;	      /* its pool; NULL: a team of one */
	struct team *next_free;	      /* in a thread's list of teams of one */
	uint32_t team_num, num_teams; /* of a league on the host; 0, 1: none */
	uint32_t generator;	      /* team-generator-var: ompd_team_generator_t */
	uint32_t n_busy; /* level 0: threads of it and of all its inner regions, counted with a thread limit; atomic */
	uint32_t cancelled;	     /* bits CANCEL_PARALLEL*: parallel, loop, sections; atomic */
	uint32_t cancelled_at;	     /* thread.barrier_count of the thread that cancelled a loop or sections; atomic */
	uint32_t in_use;	     /* 1 from team_begin() to team_end() */
	struct icv icv;		     /* of the implicit tasks, when they differ from the encountering task's */
	const struct icv *begin_icv; /* the ICVs at the region's start, for a debugger, until a member has its own */
	struct outer outer;
	struct team *around; /* of a target or teams region on the host: its thread's team outside of it */

	uint32_t epoch;	      /* low half of sequence, not 0 */
	uint32_t ended;	      /* barrier_ended() when all members have reached the region's end */
	uint64_t league_data; /* a tool's word for a league that was encountered in this region */

	/*
	 * The fields above belong to the primary thread, which writes them for each region. The other members read
	 * them from their seats. The fields below are seldom written, and read by all waiting threads. has_tasks is
	 * the region's epoch once a deferred task was created in it (team_set_has_tasks()), otherwise another value.
	 */
	uint32_t has_tasks __attribute__((aligned(CACHE_LINE)));
	uint32_t n_asleep;	  /* approximate number of members that sleep in their seats; atomic */
	uint32_t n_sleepers;	  /* members that sleep outside of a barrier until tasks are done; atomic */
	struct task *spare_tasks; /* batches of free slots without an owner (core/task/task_slot); atomic, for a test
				     before locking */
	struct lock spare_lock;
	struct task_queue queue; /* ready tasks that are in no member's deque */
	/*
	 * For a tool (tools/ompt.h): its word; the epoch of the region that was reported to it; the number of members
	 * that wait at the region's end, and the release.
	 */
	uint64_t tool_data;
	uint32_t tool_epoch, tool_arrived, tool_released;
	uint32_t tool_league; /* a team of a league, whose word is around->league_data */

	struct barrier barrier __attribute__((aligned(CACHE_LINE)));
	struct workshares workshares __attribute__((aligned(CACHE_LINE)));
	struct reduction *reductions; /* of task reductions on parallel or worksharing (core/task/reduction) */
	struct lock reductions_lock;
	struct member *members;
};

/* The members follow the struct, so their address needs no load. */
static inline struct member *team_members(struct team *team)
{
	return (struct member *)(team + 1);
}

/* Called by a member before another thread can see a deferred task of @team. */
static inline void team_set_has_tasks(struct team *team)
{
	uint32_t epoch = thread_peek()->epoch;

	if (__atomic_load_n(&team->has_tasks, __ATOMIC_RELAXED) != epoch)
		__atomic_store_n(&team->has_tasks, epoch, __ATOMIC_RELEASE);
}

/* Called by a member. Returns whether a deferred task was created in this region. */
static inline bool team_has_tasks(const struct team *team)
{
	return __atomic_load_n(&team->has_tasks, __ATOMIC_ACQUIRE) == thread_peek()->epoch;
}

/* The constructs, with gcc's numbers. team.cancelled uses the first three. */
enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };

#endif
