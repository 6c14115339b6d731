/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks: initial, implicit and explicit. An explicit task that was deferred is one allocation: this struct and its data
 * behind it. A task's struct stays until all its children's are gone, so `parent` is always valid.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_H
#define OMPDD_RUNTIME_CORE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/thread.h"

struct depend_node;  /* core/depend */
struct depend_table; /* core/depend */
struct icv;
struct member;
struct taskgroup;
struct team;

enum task_kind { TASK_INITIAL, TASK_IMPLICIT, TASK_EXPLICIT };

/* Bits of task.flags. The first ones are the construct's, the rest its progress; only the executing thread writes them.
 */
enum {
	TASK_UNDEFERRED =
		1, /* executed at once by the encountering thread, which waits for it: if(0), final, included */
	TASK_UNTIED = 2,
	TASK_FINAL = 4,
	TASK_MERGEABLE = 8,
	TASK_TASKLOOP = 16, /* of a taskloop; with TASK_RANGE in `flags`, several tasks of it, one after the other */
	TASK_DETACHABLE = 32,
	TASK_STARTED = 64,
	TASK_FINISHED = 128,  /* its structured block is done; own children may keep the struct */
	TASK_CANCELLED = 256, /* was never executed */
	TASK_IN_DEPEND_WAIT = 512,
	TASK_COPIED =
		2048, /* its data was made by copy constructors, so it runs even if it is cancelled: it destroys them */
	TASK_RANGE = 4096,  /* there is a struct task_range (core/taskloop) */
	TASK_TARGET = 8192, /* of a target construct */
	TASK_ENDED = 1024,  /* its event was fulfilled after its block had ended: all that is left is to complete it */
};

/* ompd_frame_info_t as it lies in memory: flags are ompt_frame_flag_t. */
struct task_frame {
	uint64_t exit;	/* canonical frame address in the runtime just above the task's user code; 0: none */
	uint64_t enter; /* canonical frame address of the user code that called the runtime; 0: it is not in the runtime
			 */
	uint32_t exit_flags, enter_flags;
};

/* In task.elsewhere until the task is finished: so it is not zero before. */
#define TASK_UNFINISHED (1ull << 63)

#define TASK_FRAME_FLAGS (ompt_frame_runtime | ompt_frame_cfa)

/*
 * Explicit tasks live in slots (core/task_slot.c) that are a task's as long as the team exists: a thief may read
 * `parent` and `depth` of a task that is gone, and find that it lost the race for it only afterwards. Fields marked +
 * are zero in a free slot.
 */
struct task {
	struct task *parent;	 /* generating task; NULL: initial */
	struct task *scheduling; /* the task that this one interrupted on its thread; NULL: none */
	struct team *team;	 /* of the parallel region it is bound to */
	const struct icv *icv;	 /* its data environment; see core/icv.h */
	void (*fn)(void *);	 /* outlined function; NULL: initial task, or implicit (team->fn then) */
	void *data;
	struct taskgroup *taskgroup; /* the innermost that it began or belongs to; NULL: none */
	uint8_t kind;		     /* enum task_kind */
	uint8_t nest;		     /* tasks below it on this stack that were executed at once where they were met */
	uint16_t flags;
	uint32_t depth; /* generating tasks above it in its region, to find out descent quickly */

	uint32_t thread_num;	 /* who executes it, or did last */
	int32_t priority;	 /* + */
	struct task_frame frame; /* + enter */
	struct icv *own_icv;	 /* + the newest that it made itself; freed with it */

	/*
	 * Children that were deferred: completed (they are done), and freed (their own children are, too: they need
	 * this struct no more). The first three belong to the thread that executes this task; it also counts its own
	 * deeds there until the task is finished. All others add to `elsewhere`: 1 for completed, 1 << 32 for freed,
	 * less both for one more. At its end the task subtracts TASK_UNFINISHED and what is still to come, and who
	 * makes it zero frees the struct. All of it modulo 2^64, so that nothing can overflow with fewer than 2^30
	 * children at a time.
	 */
	uint64_t n_created;	   /* + */
	uint64_t n_completed_here; /* + */
	uint64_t n_freed_here;	   /* + */
	uint64_t elsewhere;	   /* atomic; TASK_UNFINISHED in a free slot */

	struct depend_table *depends; /* + dependences among its children; NULL: none yet */
	struct depend_node *depend;   /* + its own place among its siblings; NULL: no dependences */
	void *own_data;		      /* + data that did not fit into the slot; freed with it */
	struct task *next;	      /* of a free list or a queue */
	uint32_t detach;	      /* + atomic: DETACH_* (core/detach.c) */
	uint32_t n_free;	      /* of a free slot: slots of its list from here on */
	/* Tells a debugger one task from the next in reused memory: of an implicit one the region's epoch, as soon as
	 * it has begun. */
	uint32_t sequence;
	uint64_t tool_data; /* a tool's word (tools/ompt.h); set only while there is one */
};

/* A taskgroup region. Tasks in it are descendants of `task`, whose thread waits at its end. */
struct taskgroup {
	struct taskgroup *outer;
	struct task *task;
	uint64_t *reductions; /* the arrays registered with it (core/reduction), the newest; NULL: none */
	int64_t here;	      /* tasks created less completed, counted by the thread of `task` */
	int64_t elsewhere;    /* the same, by the other threads; atomic. The sum is exact at any moment */
	uint32_t thread_num;  /* of that thread */
	uint32_t cancelled;   /* atomic */
};

/* What the entry point saw, for the debugger. */
struct site {
	const void *return_address; /* in the user's code */
	const void *frame;	    /* canonical frame address of the caller of the entry point */
};

/* Of the function in which it stands; to be used in abi/ only, in the exported function itself. */
#define SITE_HERE() ((struct site){__builtin_extract_return_addr(__builtin_return_address(0)), __builtin_dwarf_cfa()})

/* Make @task an implicit or initial task of @team, whose epoch is @epoch, for its member @thread_num; it inherits @icv.
 */
void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team, uint32_t epoch,
	       uint32_t thread_num, const struct icv *icv);
/* At its end: frees what it made itself (ICVs, dependences). All children are complete. */
void task_deinit(struct task *task);

/* Of a team that ends, or of a member that was never used: slots, deque, queue. No thread is in it. */
void task_member_deinit(struct member *member);
void task_team_deinit(struct team *team);

/*
 * Threads at a barrier run tasks of their team. Run one that @t may run there (task scheduling constraints,
 * OpenMP 5.2, 12.9); false: none found. Never blocks.
 */
bool task_run_one(struct thread *t);
/* Whether no task bound to @team is left; only true answers are certain, and only while all members are at a barrier.
 */
bool task_team_is_done(struct team *team);

/* What a task construct says. */
struct task_construct {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: plain bytes */
	size_t size, align;		    /* of the data */
	void **depend;			    /* as gcc lays it out, see core/depend.h; NULL: none */
	void **detach;			    /* where to store the event's handle; NULL: not detachable */
	int32_t priority;
	uint32_t flags;		/* TASK_*; TASK_UNDEFERRED for if(0) */
	const uint64_t *bounds; /* two words that go to the begin of the data; NULL: none */
	struct site site;
};

/* The current task meets a task construct (OpenMP 5.2, 12.5). Simple ones: task_at_once() in core/task_run.h is
 * quicker. */
void task_construct(struct thread *t, const struct task_construct *c);

/* Whether the children of the current task that were deferred are done. */
static inline bool task_children_done(const struct task *task)
{
	uint64_t elsewhere = __atomic_load_n(&task->elsewhere, __ATOMIC_ACQUIRE);

	return (uint32_t)(task->n_created - task->n_completed_here - elsewhere) == 0;
}

/* Whether a child, or a descendant that keeps it, may still be there: it may read this task's struct. */
static inline bool task_has_children(const struct task *task)
{
	uint64_t elsewhere = __atomic_load_n(&task->elsewhere, __ATOMIC_ACQUIRE) - TASK_UNFINISHED;

	return elsewhere != (task->n_created - task->n_completed_here) + ((task->n_created - task->n_freed_here) << 32);
}

/* taskwait (12.10.5), with children that are not done; taskwait without takes one look. */
void task_wait_children(struct thread *t, struct site site) __attribute__((cold));
/* taskwait depend: until the children that a task with @depend would have to wait for are done. */
void task_wait_depend(struct thread *t, void *const *depend, struct site site);
/* taskyield. */
void task_yield(struct thread *t, struct site site);

/*
 * The current task enters the runtime by an entry point that may wait, create a region or run other tasks; and is back
 * in its own code.
 */
static inline void task_enter_runtime(struct task *task, struct site site)
{
	if (RUNTIME_TRACKS)
		task->frame.enter = (uint64_t)(uintptr_t)site.frame; /* the flags stay as they are */
}

static inline void task_leave_runtime(struct task *task)
{
	if (RUNTIME_TRACKS)
		task->frame.enter = 0;
}

/* The runtime calls the program's function, from @frame (__builtin_dwarf_cfa()); it has returned. */
static inline void task_enter_program(struct task *task, const void *frame)
{
	if (RUNTIME_TRACKS)
		task->frame.exit = (uint64_t)(uintptr_t)frame;
}

static inline void task_leave_program(struct task *task)
{
	if (RUNTIME_TRACKS)
		task->frame.exit = 0;
}

#endif
