/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks: initial, implicit and explicit. An explicit task that was deferred is one allocation: this struct and its data
 * behind it. A task's struct stays until all its children's are gone, so `parent` is always valid.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_H
#define OMPDD_RUNTIME_CORE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"

struct depend_table; /* core/depend */
struct detach_event; /* core/detach */
struct icv;
struct reduction;    /* core/reduction */
struct taskgroup;
struct team;

enum task_kind { TASK_INITIAL, TASK_IMPLICIT, TASK_EXPLICIT };

/* Bits of task.flags. */
enum {
	TASK_UNDEFERRED = 1, /* executed at once by the encountering thread: if(0), final, included, throttled */
	TASK_UNTIED = 2,
	TASK_FINAL = 4,
	TASK_MERGEABLE = 8,
	TASK_TASKLOOP = 16,
	TASK_DETACHABLE = 32,
	TASK_STARTED = 64,
	TASK_FINISHED = 128, /* its structured block is done; an own child may keep the struct */
	TASK_CANCELLED = 256,
	TASK_IN_DEPEND_WAIT = 512,
};

/* ompd_frame_info_t as it lies in memory: flags are ompt_frame_flag_t. */
struct task_frame {
	uint64_t exit;	/* canonical frame address in the runtime just above the task's user code; 0: none */
	uint64_t enter;	/* canonical frame address of the user code that called the runtime; 0: it is not in the runtime */
	uint32_t exit_flags, enter_flags;
};

struct task {
	struct task *parent;	 /* generating task; NULL: initial */
	struct task *scheduling; /* the task that this one interrupted on its thread; NULL: none */
	struct team *team;	 /* of the parallel region it is bound to */
	const struct icv *icv;	 /* its data environment; see core/icv.h */
	struct icv *own_icv;	 /* the newest that it made itself; freed with it */
	void (*fn)(void *);	 /* outlined function; NULL: initial task, or implicit (team->fn then) */
	void *data;
	uint8_t kind;		 /* enum task_kind */
	uint8_t unused;
	uint16_t flags;
	int32_t priority;
	uint32_t depth;		 /* generating tasks above it, to find out descent quickly */
	uint32_t thread_num;	 /* who executes it, or did last */
	struct task_frame frame;

	/*
	 * Children. n_created is the owner's alone (a task is tied: one thread executes it); a child that ends on the
	 * same thread while this task is that thread's ancestor counts in *_here, else in `elsewhere`: low half
	 * completed, high half freed.
	 */
	uint32_t n_created;
	uint32_t n_completed_here;
	uint32_t n_freed_here;
	uint64_t elsewhere;

	struct taskgroup *taskgroup; /* the innermost that it began or belongs to; NULL: none */
	struct depend_table *depends; /* dependences among its children; NULL: none yet */
	struct task_depends *depend;  /* its own dependences; NULL: none */
	struct detach_event *detach;
	struct task *next;	     /* of a free list or a queue */
	uint64_t size;		     /* bytes of the allocation; 0: embedded */
};

struct taskgroup {
	struct taskgroup *outer;
	struct reduction *reductions;
	uint32_t n_created;   /* by its task; see task.n_created */
	uint32_t cancelled;
	uint64_t n_added;     /* deferred tasks that joined it, and … */
	uint64_t n_completed; /* … that are done; atomics */
	struct task *task;
	uint8_t for_workshare; /* of a task reduction of parallel or worksharing: not the user's */
};

/* What the entry point saw, for the debugger. */
struct site {
	const void *return_address; /* in the user's code */
	const void *frame;	    /* canonical frame address of the caller of the entry point */
};

/* Of the function in which it stands; to be used in abi/ only, in the exported function itself. */
#define SITE_HERE()                                                                                              \
	((struct site){__builtin_extract_return_addr(__builtin_return_address(0)), __builtin_dwarf_cfa()})

/* Make @task an implicit or initial task of @team for its member @thread_num; it inherits @icv. */
void task_init(struct task *task, enum task_kind kind, struct task *parent, struct team *team,
	       uint32_t thread_num, const struct icv *icv);
/* At its end: frees what it made itself (ICVs, dependences). All children are complete. */
void task_deinit(struct task *task);

/*
 * Threads at a barrier run tasks of their team. Run one that @t may run there (task scheduling constraints, OpenMP 5.2, 12.9);
 * false: none found. Never blocks.
 */
bool task_run_one(struct thread *t);
/* Whether no task bound to @team is left; only true answers are certain, and only while all members are at a barrier. */
bool task_team_is_done(struct team *team);

#endif
