/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Teams and parallel regions. A team is one allocation: this struct and its members, and is reused by its pool for
 * regions of the same and of smaller sizes. abi/ calls team_begin(), the outlined function, team_end().
 */
#ifndef OMPDD_RUNTIME_CORE_TEAM_H
#define OMPDD_RUNTIME_CORE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/barrier.h"
#include "core/deque.h"
#include "core/icv.h"
#include "core/task.h"
#include "core/task_queue.h"
#include "core/thread.h"
#include "core/workshare.h"

/* One thread's part of a team. On cache lines of its own. */
struct member {
	struct thread *thread; /* who it is; NULL: not started yet */
	struct task implicit;  /* its implicit (or initial) task */
	uint64_t tasks_seen;   /* tasks_created at its last barrier */
	struct share share;    /* its place among the worksharing constructs */
	/* Tasks (core/task): deferred ones that this member made, and that it completed. Written by it alone. */
	uint64_t tasks_created __attribute__((aligned(CACHE_LINE)));
	uint64_t tasks_completed;
	uint64_t random;	      /* to choose whom to steal from */
	uint64_t stole;		      /* when it did (os/clock); 0: it has looked for another task since */
	struct task *free_tasks;      /* slots, to be used again, */
	struct task *more_free_tasks; /* and a batch of them (core/task_slot) */
	struct task_slab *slabs;      /* memory of slots that it allocated */
	struct taskgroup *free_groups;
	struct reduction *reduction; /* of the worksharing construct that it is in (core/reduction); NULL: none */
	struct deque deque;	     /* tasks that are ready */
	uint32_t asleep __attribute__((aligned(CACHE_LINE))); /* a sleeper's word (core/sleep.h), of core/task_wait.c */
} __attribute__((aligned(CACHE_LINE)));

/* What the primary thread is again when its region ends. */
struct outer {
	struct team *team;
	struct member *member;
	uint32_t thread_num, n_threads, epoch, barrier_count, state;
	int32_t place;
	uint32_t place_first, place_len;
};

struct team {
	uint32_t n_threads;	/* members of the present region */
	uint32_t capacity;	/* members that there is room for */
	uint32_t level;		/* levels-var: 0 for an implicit region of a root thread */
	uint32_t active_level;	/* active-levels-var */
	struct team *enclosing; /* NULL: a root thread's implicit region */
	struct thread *primary; /* the thread that encountered the construct */
	void (*fn)(void *);	/* the region's outlined function; NULL: implicit region */
	void *data;
	struct site site;	   /* where the construct was encountered */
	struct task *encountering; /* the task that encountered it; NULL: implicit region */
	uint64_t sequence; /* no two regions of the process have the same: tells one from the next in reused memory */
	struct pool *pool; /* to which it belongs; NULL: a team of one */
	struct team *next_free;	      /* teams of one that a thread keeps */
	uint32_t team_num, num_teams; /* of a league on the host; 0, 1: none */
	uint32_t n_busy;    /* level 0: threads of it and of all regions in it, while there is a thread limit; atomic */
	uint32_t cancelled; /* bits TEAM_CANCELLED*: parallel, loop, sections; atomic */
	uint32_t cancelled_at;	     /* thread.barrier_count of who cancelled a loop or sections; atomic */
	uint32_t in_use;	     /* 1 from team_begin() to team_end() */
	struct icv icv;		     /* of the implicit tasks, when they differ from the encountering task's */
	const struct icv *begin_icv; /* with which they begin: for a debugger, as long as a member has not */
	struct outer outer;
	struct team *around; /* of a target or teams region on the host: the team that its thread is in outside of it */

	uint32_t epoch;	      /* low half of sequence, not 0 */
	uint32_t ended;	      /* barrier_ended() when all members have reached the region's end */
	uint64_t league_data; /* a tool's word for a league that was met in this region */

	/*
	 * What is above is the primary thread's, written for each region: the others read what they need in their seats
	 * instead. What is below is seldom written, and read by all who wait. Tasks: has_tasks is the region's epoch
	 * since a deferred one was made in it (team_set_has_tasks()), else something else.
	 */
	uint32_t has_tasks __attribute__((aligned(CACHE_LINE)));
	uint32_t n_asleep;	  /* about how many members sleep in their seats; atomic */
	uint32_t n_sleepers;	  /* members that sleep outside of a barrier until tasks are done; atomic */
	struct task *spare_tasks; /* free slots that no member has, in batches (core/task_slot); atomic, to look before
				     locking */
	struct lock spare_lock;
	struct task_queue queue; /* ready tasks that are in no member's deque */
	/* For a tool (tools/ompt.h): its word; the region that it knows, by epoch; who waits at its end, and that it is
	 * over. */
	uint64_t tool_data;
	uint32_t tool_epoch, tool_arrived, tool_released;
	uint32_t tool_league; /* a team of a league: the word of that is around->league_data */

	struct barrier barrier __attribute__((aligned(CACHE_LINE)));
	struct workshares workshares __attribute__((aligned(CACHE_LINE)));
	struct reduction *reductions; /* of task reductions on parallel or worksharing (core/reduction) */
	struct lock reductions_lock;
	struct member *members;
};

/* They follow the struct: who knows where that is, need not read it. */
static inline struct member *team_members(struct team *team)
{
	return (struct member *)(team + 1);
}

/* By a member, before a deferred task of @team can be seen by another thread. */
static inline void team_set_has_tasks(struct team *team)
{
	uint32_t epoch = thread_peek()->epoch;

	if (__atomic_load_n(&team->has_tasks, __ATOMIC_RELAXED) != epoch)
		__atomic_store_n(&team->has_tasks, epoch, __ATOMIC_RELEASE);
}

/* By a member: whether a deferred task was made since the region's begin. */
static inline bool team_has_tasks(const struct team *team)
{
	return __atomic_load_n(&team->has_tasks, __ATOMIC_ACQUIRE) == thread_peek()->epoch;
}

enum {
	TEAM_CANCELLED = 1, /* parallel; the same numbers as GOMP_cancel's */
	TEAM_CANCELLED_LOOP = 2,
	TEAM_CANCELLED_SECTIONS = 4,

	TEAM_BIND_MASK = 7, /* flags of GOMP_parallel: omp_proc_bind_t of a clause; 0: none */
};

/*
 * How many threads a parallel construct gets that the current task meets (OpenMP 5.2, 10.1.1): @asked by the
 * num_threads clause, 0: none; with if(0), 1. @count: at most that many are of use (sections), which matters if dyn-var
 * is true; 0: no limit. One where a debugger has asked for that (tools/ompd.h).
 */
uint32_t team_size(struct thread *t, uint32_t asked, uint32_t count);
/* Under a thread limit team_size() has reserved them: they are free for others. */
void team_size_release(struct thread *t, uint32_t n_threads);

/*
 * Begin a parallel region: a team of @n_threads, whose other members start to execute @fn(@data) at once; the caller
 * becomes member 0, in state work_parallel, and returns to call @fn itself. @first: worksharing construct that is there
 * from the begin (combined parallel loop), for workshares_begin(); NULL: none. @reductions: see core/reduction.
 */
struct team *team_begin(struct thread *t, void (*fn)(void *), void *data, uint32_t n_threads, uint32_t flags,
			struct site site, const struct workshare_setup *first, void *reductions);
/* The implicit barrier at the end; the caller is the encountering task again. */
void team_end(struct thread *t);

/* A team with room for @capacity members, on its own; and its end, when no thread is in it. */
struct team *team_create(uint32_t capacity);
void team_destroy(struct team *team);
/*
 * A target region on the host (core/target), or a team of a league (core/league): @t executes an initial task of its
 * own, in an implicit region of level 0, with @icv, except @thread_limit (0: that one's, too). It is the encountering
 * task again behind the end.
 */
void team_begin_nested_initial(struct thread *t, void (*fn)(void *), void *data, const struct icv *icv,
			       uint32_t thread_limit, struct site site);
void team_end_nested_initial(struct thread *t);
/* The implicit region of a root thread, with its initial task. */
void team_begin_initial(struct thread *t);
void team_end_initial(struct thread *t);

#endif
