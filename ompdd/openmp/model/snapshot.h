/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of one OpenMP runtime of a target at one moment, as plain C structs: filled by openmp/model/walk while the
 * target stands still, turned into JSON by methods/ when it runs again.
 */
#ifndef OMPDD_OPENMP_SNAPSHOT_H
#define OMPDD_OPENMP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "openmp/model/arena.h"
#include "openmp/runtimes/constructs.h"
#include "openmp/model/icv.h"
#include "target/origin.h"
#include "target/target.h"

/* No index: see struct snapshot_ref. */
#define SNAPSHOT_NONE UINT32_MAX

/* In icv_value.rc: this object has no such variable (an explicit task, one of implicit tasks); shown nowhere. */
#define SNAPSHOT_ICV_NOT_HERE (-1)

/* A number, or why there is none. */
struct snapshot_word {
	int rc;
	int64_t value;
};

/* A region or task of this snapshot, or why there is none. */
struct snapshot_ref {
	int rc;
	uint32_t index;	 /* into parallels[] or tasks[]; SNAPSHOT_NONE with a code other than ok */
	uint32_t number; /* of its wire handle */
};

/* What is at the address that a thread waits at. */
enum snapshot_wait {
	WAIT_UNKNOWN,
	WAIT_BARRIER,
	WAIT_DOCK,
	WAIT_LOCK,
	WAIT_CRITICAL,
	WAIT_ATOMIC,
	WAIT_MUTEX,
	WAIT_SEMAPHORE,
};

/* Which kind of lock the routine is for that a thread has entered. */
enum snapshot_lock { LOCK_UNKNOWN, LOCK_SIMPLE, LOCK_NESTABLE };

struct stacks_place;	  /* openmp/stacks/stacks.h */
struct snapshot_location; /* openmp/model/location.h */

struct snapshot_thread {
	pid_t tid;
	uint64_t pthread;
	char comm[16];
	bool openmp;
	int openmp_rc; /* when not openmp: unavailable, or why that could not be found out */
	struct snapshot_word thread_num;
	struct snapshot_word state;
	bool state_is_inferred;
	struct snapshot_word wait_id; /* the bits of a uint64_t */
	bool wait_is_inferred;
	enum snapshot_wait wait;
	struct snapshot_ref parallel;
	struct snapshot_ref task;
	struct icv_value *icvs; /* of thread scope without thread-num-var; in the order of icv_defs */
	/* Of the construct that it waits in, by the program's own word; NULL: not known. */
	const struct snapshot_location *location;
	struct target_activity activity;
	/* Letter of /proc/PID/task/TID/stat where the thread is not stopped for the look; else 0. */
	char kernel_state;
	/* From its stack, where that was looked at: the call through which it entered the runtime. */
	struct stacks_place *entry;
	enum construct construct;
	enum snapshot_lock lock; /* CONSTRUCT_LOCK */
	/* From its code: the program's lock, or that of a critical construct, that it is about to acquire; 0: not
	 * known. */
	uint64_t lock_address;
	/* The C library's mutex that it sleeps for (openmp/stacks/stack_mutex), 0: none; whom that names, and its
	 * index, SNAPSHOT_NONE: no thread of the process. */
	uint64_t mutex;
	pid_t mutex_tid, own_tid; /* as its process calls it and that one */
	uint32_t mutex_owner;
	pid_t mutex_process; /* which forked this one, and whose thread that is; 0: none, or not known */
	bool is_in_doacross; /* CONSTRUCT_ORDERED: of a doacross loop */
	bool lock_is_only;   /* or it is the runtime's only one of its kind */
};

struct snapshot_parallel {
	uint32_t number; /* of its wire handle */
	unsigned depth;	 /* steps from a thread's current region to here, when it was found */
	void *object;	 /* the library's handle; of no use once the walk is over */
	struct snapshot_word level;
	struct snapshot_word active_level;
	struct snapshot_word team_size;
	struct snapshot_ref enclosing;
	struct snapshot_word function; /* address */
	bool function_is_inferred;
	struct stacks_place *call_site;		  /* inferred; NULL: not known */
	const struct snapshot_location *location; /* of its construct; NULL: not known */
	struct icv_value *icvs;			  /* of parallel scope without those above */
	struct snapshot_word n_queued;		  /* tasks bound to it that were deferred and have not begun */
	/* Of the team, at its barrier; of those that are not known to be there all are known not to be. */
	struct snapshot_word n_arrived;
	bool arrived_is_exact;
	/* Indexes into threads[], by thread number. */
	uint32_t *members;
	uint32_t n_members;
};

enum snapshot_task_kind { TASK_UNKNOWN, TASK_INITIAL, TASK_IMPLICIT, TASK_EXPLICIT };

struct snapshot_task {
	uint32_t number;
	unsigned depth;
	void *object;
	enum snapshot_task_kind kind;
	int kind_rc;	 /* when unknown */
	uint32_t thread; /* index of the one that executes it; SNAPSHOT_NONE */
	struct snapshot_ref parallel;
	struct snapshot_ref generating;
	struct snapshot_ref scheduling;
	struct snapshot_word function;
	bool function_is_inferred;
	bool is_queued;				  /* it was deferred and has not begun */
	struct snapshot_word predecessors;	  /* then: tasks that it waits for */
	const struct snapshot_location *location; /* of an explicit one's construct; NULL: not known */
	int frames_rc;				  /* with SNAPSHOT_FRAMES; a frame of 0: the task has none */
	uint64_t exit_frame, enter_frame;
	int64_t exit_flags, enter_flags;
	struct icv_value *icvs; /* of task and implicit_task scope */
};

/* What the library says of a lock for which a thread waits, if it is one of a construct of @kind (ompt_mutex_t). */
struct snapshot_mutex {
	uint64_t address;
	int kind;
	int rc;
	int state;	 /* OMPD_MUTEX_* (openmp/plugin/ompd.h); valid with ompd_rc_ok */
	uint32_t thread; /* who holds it, in threads[]; SNAPSHOT_NONE: not known */
	pid_t tid;	 /* of one that is not there any more; 0: not known */
	uint32_t task;	 /* in tasks[]; SNAPSHOT_NONE: not known */
};

/* Whom thread number `thread`, or task number `task`, waits for: awaited_items[first] and behind it. */
struct snapshot_awaited {
	uint32_t thread, task; /* one of them is SNAPSHOT_NONE */
	int rc;
	bool is_complete;
	/* The library does not say what the thread does: those are they if it waits in this state; else it says so, and
	 * this is 0. */
	int as_state;
	uint32_t first, n;
};

struct snapshot_awaited_item {
	uint32_t thread; /* in threads[]; SNAPSHOT_NONE: a task, or it is not there any more */
	pid_t tid;	 /* of the thread, as the library says; 0: a task */
	uint32_t task;	 /* in tasks[] */
	int progress;	 /* OMPD_PROGRESS_* (openmp/plugin/ompd.h) */
};

/* What a thread holds because of the code on its stack (openmp/stacks/stack_held). */
struct snapshot_held {
	uint32_t thread;
	int kind;	  /* enum holder_kind */
	uint64_t address; /* 0: the runtime's only one of this kind */
	uint64_t pc;	  /* of the frame */
	const char *evidence;
};

/* The definitions behind an icvs[] array. */
struct snapshot_icv_set {
	struct icv_def *defs[ICV_MAX];
	size_t n;
};

/* Parts that a walk may leave out; threads, and the names of what they execute, are always there. */
enum snapshot_parts {
	SNAPSHOT_PARALLELS = 1, /* regions with their members */
	SNAPSHOT_TASKS = 2,	/* tasks with parents and control variables */
	SNAPSHOT_ICVS = 4,	/* control variables of the process */
	SNAPSHOT_STATES = 8,	/* states and wait ids of threads, inferred ones too */
	SNAPSHOT_ALL = 15,
	SNAPSHOT_FRAMES = 16,  /* where tasks entered and left the runtime, for openmp/stacks/stacks */
	SNAPSHOT_HOLDERS = 32, /* what openmp/model/holder asks the library, of threads that wait */
	/* With STATES and PARALLELS: no more than what a thread does and where, for looks that are made often: of tasks
	   only those that threads execute, with kind and function; no members, no control variables. */
	SNAPSHOT_BRIEF = 64,
	SNAPSHOT_OWNERS = 128, /* of HOLDERS, who holds the locks that are waited for, as the library says */
	/* With TASKS and STATES: which tasks those that have not begun wait for, and threads in taskwait and taskgroup:
	   where a runtime has no list of tasks these lead to them. */
	SNAPSHOT_DEPENDENCES = 256,
	/* With ALL: no control variables but those that say which kind of task one is. */
	SNAPSHOT_NO_ICVS = 512,
};

struct snapshot {
	uint64_t epoch;
	unsigned runtime; /* of which: model_index() */
	unsigned parts;
	struct snapshot_thread *threads;
	size_t n_threads;
	size_t n_openmp;
	struct snapshot_parallel *parallels;
	size_t n_parallels, parallels_cap;
	struct snapshot_task *tasks;
	size_t n_tasks, tasks_cap;
	struct snapshot_mutex *mutexes; /* with SNAPSHOT_HOLDERS or OWNERS */
	size_t n_mutexes;
	struct snapshot_awaited *awaited; /* with SNAPSHOT_HOLDERS or DEPENDENCES */
	size_t n_awaited;
	struct snapshot_awaited_item *awaited_items;
	size_t n_awaited_items;
	struct snapshot_held *helds;
	size_t n_helds;
	struct icv_value *icvs; /* of the process */
	/* Which variables there are, by kind of object. */
	struct snapshot_icv_set process_icvs, thread_icvs, parallel_icvs, task_icvs;
	bool truncated;		   /* a walk was cut at MODEL_MAX_DEPTH, or there are too many handles */
	bool has_unlisted;	   /* of tasks that have not begun there may be more: the library cannot find all */
	bool cyclic;		   /* a chain led back into itself and was cut there */
	bool has_gaps;		   /* levels say that there are regions which the library does not name */
	enum target_origin origin; /* with SNAPSHOT_HOLDERS; else unknown */
	struct arena arena;
	const struct snapshot_location *last_location; /* as many objects have the same */
};

/* Where thread @tid is in s->threads; SNAPSHOT_NONE: it is not there. */
uint32_t snapshot_find_thread(const struct snapshot *s, pid_t tid);
/* All zeroes is a valid empty snapshot. */
void snapshot_deinit(struct snapshot *s);

#endif
