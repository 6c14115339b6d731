/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks: initial, implicit and explicit. A deferred explicit task is one allocation: this struct, followed by its
 * data. The struct stays until the structs of all children are gone, so `parent` is always valid.
 */
#ifndef OMPDD_RUNTIME_CORE_STATE_TASK_H
#define OMPDD_RUNTIME_CORE_STATE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/thread.h"
#include "omp-tools.h"
#include "os/spin.h"

struct depend_node;  /* core/task/depend */
struct depend_table; /* core/task/depend */
struct icv;
struct taskgroup;
struct team;

enum task_kind { TASK_INITIAL, TASK_IMPLICIT, TASK_EXPLICIT };

/*
 * Bits of task.flags. The first ones belong to the construct, the others to its progress. Only the executing thread
 * writes them.
 */
enum {
	TASK_UNDEFERRED =
		1, /* executed at once by the encountering thread, which waits for it: if(0), final, included */
	TASK_UNTIED = 2,
	TASK_FINAL = 4,
	TASK_MERGEABLE = 8,
	TASK_TASKLOOP = 16, /* of a taskloop; with TASK_RANGE in `flags`, several of its tasks, in sequence */
	TASK_DETACHABLE = 32,
	TASK_STARTED = 64,
	TASK_FINISHED = 128,  /* its structured block has ended; its children may keep the struct */
	TASK_CANCELLED = 256, /* was never executed */
	TASK_IN_DEPEND_WAIT = 512,
	TASK_COPIED = 2048, /* copy constructors made its data, so it runs even if cancelled, to destroy them */
	TASK_RANGE = 4096,  /* it has a struct task_range (core/task/task_range) */
	TASK_TARGET = 8192, /* of a target construct */
	TASK_ENDED = 1024,  /* its event was fulfilled after its block had ended: only the completion is left */
};

/* ompd_frame_info_t in memory; the flags are ompt_frame_flag_t. */
struct task_frame {
	uint64_t exit;	/* canonical frame address in the runtime just above the task's user code; 0: none */
	uint64_t enter; /* canonical frame address of the user code that called the runtime; 0: it is not in the runtime
			 */
	uint32_t exit_flags, enter_flags;
};

/* In task.elsewhere until the task is finished, so that it is not zero before. */
#define TASK_UNFINISHED (1ull << 63)

#define TASK_FRAME_FLAGS (ompt_frame_runtime | ompt_frame_cfa)

/*
 * Explicit tasks are in slots (core/task/task_slot.c), which remain task structs for the life of the team. A thief may
 * read `parent` and `depth` of a freed task, before it notices that it has lost the race. Fields marked + are zero in a
 * free slot.
 */
struct task {
	struct task *parent;	 /* generating task; NULL: initial */
	struct task *scheduling; /* the task that this one interrupted on its thread; NULL: none */
	struct team *team;	 /* of the parallel region it is bound to */
	const struct icv *icv;	 /* its data environment; see core/state/icv.h */
	void (*fn)(void *);	 /* outlined function; NULL: initial task, or implicit (then team->fn) */
	void *data;
	struct taskgroup *taskgroup; /* the innermost one that it started or belongs to; NULL: none */
	uint8_t kind;		     /* enum task_kind */
	uint8_t nest;		     /* tasks executed at once below it on this stack */
	uint16_t flags;
	uint32_t depth; /* generating tasks above it in its region, for a quick test of descent */

	uint32_t thread_num;	 /* the thread that executes it, or did last */
	int32_t priority;	 /* + */
	struct task_frame frame; /* + enter */
	struct icv *own_icv;	 /* + the newest copy that it made; freed with it */

	/*
	 * Counts of deferred children: completed ones, and freed ones, whose own children no longer need this struct.
	 * The first three fields belong to the thread that executes this task, which counts its own steps there until
	 * the task is finished. All other threads add to `elsewhere`: 1 for completed, 1 << 32 for freed; they
	 * subtract both for a new child. At its end the task subtracts TASK_UNFINISHED and the children still to come.
	 * The thread that makes `elsewhere` zero frees the struct. All is modulo 2^64: nothing overflows with fewer
	 * than 2^30 children at a time.
	 */
	uint64_t n_created;	   /* + */
	uint64_t n_completed_here; /* + */
	uint64_t n_freed_here;	   /* + */
	uint64_t elsewhere;	   /* atomic; TASK_UNFINISHED in a free slot */

	struct depend_table *depends; /* + dependences among its children; NULL: none yet */
	struct depend_node *depend;   /* + its place among its siblings; NULL: no dependences */
	void *own_data;		      /* + data that was too large for the slot; freed with it */
	struct task *next;	      /* in a free list or a queue */
	uint32_t detach;	      /* + atomic: DETACH_* (core/task/detach.c) */
	uint32_t n_free;	      /* in a free slot: number of slots in its list from here on */
	/*
	 * Distinguishes tasks in reused memory, for a debugger. For an implicit task: the region's epoch, once it has
	 * started.
	 */
	uint32_t sequence;
	uint64_t tool_data; /* a tool's word (tools/ompt.h); set only with a tool */
};

/* A taskgroup region. Its tasks are descendants of `task`, whose thread waits at its end. */
struct taskgroup {
	struct taskgroup *outer;
	struct task *task;
	uint64_t *reductions; /* the newest of the arrays registered with it (core/task/reduction); NULL: none */
	int64_t here;	      /* created tasks minus completed ones, counted by the thread of `task` */
	int64_t elsewhere;    /* the same, by the other threads; atomic. The sum is exact at any moment */
	uint32_t thread_num;  /* number of that thread */
	uint32_t cancelled;   /* atomic */
};

/* The call site of an entry point, for the debugger. */
struct site {
	const void *return_address; /* in the user's code */
	const void *frame;	    /* canonical frame address of the caller of the entry point */
};

/* The site of the function that contains it. Use it in abi/ only, in the exported function itself. */
#define SITE_HERE() ((struct site){__builtin_extract_return_addr(__builtin_return_address(0)), __builtin_dwarf_cfa()})

/* The arguments of a task construct. */
struct task_construct {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: plain bytes */
	size_t size, align;		    /* of the data */
	void **depend;			    /* in gcc's layout, see core/task/depend.h; NULL: none */
	void **detach;			    /* where to store the event's handle; NULL: not detachable */
	int32_t priority;
	uint32_t flags;		/* TASK_*; TASK_UNDEFERRED for if(0) */
	const uint64_t *bounds; /* two words for the start of the data; NULL: none */
	struct site site;
};

/* Returns whether the deferred children of the current task are done. */
static inline bool task_children_done(const struct task *task)
{
	uint64_t elsewhere = __atomic_load_n(&task->elsewhere, __ATOMIC_ACQUIRE);

	return (uint32_t)(task->n_created - task->n_completed_here - elsewhere) == 0;
}

/* Returns whether the tasks of a group of the calling thread are done. */
static inline bool taskgroup_is_done(const struct taskgroup *g)
{
	return g->here + __atomic_load_n(&g->elsewhere, __ATOMIC_ACQUIRE) == 0;
}

/* Returns whether a child, or a descendant that keeps it, may still read this task's struct. */
static inline bool task_has_children(const struct task *task)
{
	uint64_t elsewhere = __atomic_load_n(&task->elsewhere, __ATOMIC_ACQUIRE) - TASK_UNFINISHED;

	return elsewhere != (task->n_created - task->n_completed_here) + ((task->n_created - task->n_freed_here) << 32);
}

/*
 * The current task enters the runtime by an entry point that may wait, create a region or run other tasks; then it
 * returns to its own code.
 */
static inline void task_enter_runtime(struct task *task, struct site site)
{
	if (RUNTIME_TRACKS)
		task->frame.enter = (uint64_t)(uintptr_t)site.frame; /* the flags are unchanged */
}

static inline void task_leave_runtime(struct task *task)
{
	if (RUNTIME_TRACKS)
		task->frame.enter = 0;
}

/* The runtime calls the program's function from @frame (__builtin_dwarf_cfa()); then the function has returned. */
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

/* task.detach. */
enum {
	DETACH_FULFILLED = 1,
	DETACH_BLOCK_ENDED = 2,
};

enum {
	TASK_SLOT_SIZE = 384,
	TASK_SLAB_SLOTS = 32,
	TASK_SLOT_BATCH = 128, /* slots that move between members at a time; a member with more than twice as many gives
				  one batch away */
};

/* Memory of slots, which start on its second cache line. */
struct task_slab {
	struct task_slab *next;
};

#define TASK_HEADER_SIZE ((sizeof(struct task) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE)

/* The address and size of the data area of a slot, aligned to a cache line. */
static inline void *task_slot_room(struct task *task)
{
	return (char *)task + TASK_HEADER_SIZE;
}

#define TASK_SLOT_ROOM (TASK_SLOT_SIZE - TASK_HEADER_SIZE)

/* omp_depend_t */
struct depend_object {
	const void *address;
	uintptr_t kind; /* enum depend_kind */
};

/* gcc's numbers in omp_depend_t. Newer compilers add INOUTSET. */
enum depend_kind { DEPEND_IN = 1, DEPEND_OUT, DEPEND_INOUT, DEPEND_MUTEXINOUTSET, DEPEND_INOUTSET };

#endif
