/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of one OpenMP runtime of a target at one moment, as plain C structs. openmp/model/walk/walk fills them
 * while the target is stopped. methods/ turn them into JSON when it runs again.
 */
#ifndef OMPDD_OPENMP_SNAPSHOT_H
#define OMPDD_OPENMP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "openmp/model/arena.h"
#include "openmp/model/icv.h"
#include "openmp/runtimes/constructs.h"
#include "target/process/image.h"
#include "target/target.h"

/* No index: see struct snapshot_ref. */
#define SNAPSHOT_NONE UINT32_MAX

/* In icv_value.rc: this object has no such variable (an explicit task, a variable of implicit tasks). Never shown. */
#define SNAPSHOT_ICV_NOT_HERE (-1)

/* A number, or the reason for its absence. */
struct snapshot_word {
	int rc;
	int64_t value;
};

/* A region or task of this snapshot, or the reason for its absence. */
struct snapshot_ref {
	int rc;
	uint32_t index;	 /* in parallels[] or tasks[]; SNAPSHOT_NONE unless rc is ok */
	uint32_t number; /* of its wire handle */
};

/* Kinds of objects at the address that a thread waits at. */
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

/* The kind of lock of the lock routine that a thread has entered. */
enum snapshot_lock { LOCK_UNKNOWN, LOCK_SIMPLE, LOCK_NESTABLE };

struct stacks_place;	  /* openmp/stacks/stacks.h */
struct snapshot_location; /* openmp/model/walk/location.h */
struct snapshot_bytes;	  /* openmp/stacks/stack_outside.c */
struct outside_wait;	  /* openmp/model/wait/outside.h */

struct snapshot_thread {
	pid_t tid;
	uint64_t pthread;
	char comm[16];
	bool openmp;
	int openmp_rc; /* if not openmp: unavailable, or the error of finding out */
	struct snapshot_word thread_num;
	struct snapshot_word state;
	bool state_is_inferred;
	struct snapshot_word wait_id; /* the bits of a uint64_t */
	bool wait_is_inferred;
	enum snapshot_wait wait;
	struct snapshot_ref parallel;
	struct snapshot_ref task;
	struct icv_value *icvs; /* of thread scope, without thread-num-var; in the order of icv_defs */
	/* Position of the construct that it waits in, as the program records it; NULL: not known. */
	const struct snapshot_location *location;
	/* The bits of the library's number that changes when the thread goes on, with SNAPSHOT_HOLDERS. */
	struct snapshot_word progress;
	struct target_activity activity;
	bool is_racy; /* in a view that is no proof: it may have run while its state was read */
	/* State letter of /proc/PID/task/TID/stat if the thread was not stopped for this snapshot; else 0. */
	char kernel_state;
	/* From its stack, if that was read: the call by which it entered the runtime. */
	struct stacks_place *entry;
	enum construct construct;
	enum snapshot_lock lock; /* CONSTRUCT_LOCK */
	/* From its code: the lock or critical construct's lock that it is about to acquire; 0: not known. */
	uint64_t lock_address;
	/*
	 * The C library's mutex that it sleeps for (openmp/stacks/stack_mutex), 0: none. mutex_owner is the owner's
	 * index; SNAPSHOT_NONE: not a thread of the process.
	 */
	uint64_t mutex;
	pid_t mutex_tid, own_tid; /* the ids of the owner and of this thread inside the process */
	uint32_t mutex_owner;
	pid_t mutex_process; /* the owner's process, which forked this one; 0: none, or not known */
	/* Python's GIL that it waits for (openmp/python/python_gil); 0: none. gil_holder: in snapshot.threads. */
	uint64_t gil;
	uint32_t gil_holder;
	bool gil_is_proven; /* that it waits for the GIL */
	/* Bytes around the word on which it sleeps; NULL: not copied. */
	const struct snapshot_bytes *bytes;
	/* The object of the C library, other than `mutex`, that it sleeps for; NULL: none. */
	struct outside_wait *outside;
	/* In ompt_state_wait_target: the number of the device, if the code on the stack proves it. */
	bool has_device;
	int32_t device;
	bool is_in_doacross; /* CONSTRUCT_ORDERED: in a doacross loop */
	bool lock_is_only;   /* the lock is the runtime's only one of its kind */
};

struct snapshot_parallel {
	uint32_t number; /* of its wire handle */
	unsigned depth;	 /* steps from a thread's current region to this one, when it was found */
	void *object;	 /* the library's handle; invalid after the walk */
	struct snapshot_word level;
	struct snapshot_word active_level;
	struct snapshot_word team_size;
	struct snapshot_ref enclosing;
	struct snapshot_word function; /* address */
	bool function_is_inferred;
	struct stacks_place *call_site;		  /* inferred; NULL: not known */
	const struct snapshot_location *location; /* of its construct; NULL: not known */
	struct icv_value *icvs;			  /* of parallel scope, without the fields above */
	struct snapshot_word n_queued;		  /* deferred tasks bound to it that have not started */
	/* Team members that have arrived at its barrier. arrived_is_exact: all others are known not to have arrived. */
	struct snapshot_word n_arrived;
	bool arrived_is_exact;
	bool is_of_helpers; /* the stacks show that the runtime itself started it, for target tasks */
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
	uint32_t thread; /* index of the executing thread; SNAPSHOT_NONE */
	struct snapshot_ref parallel;
	struct snapshot_ref generating;
	struct snapshot_ref scheduling;
	struct snapshot_word function;
	bool function_is_inferred;
	bool is_queued;				  /* deferred and not started */
	bool is_target;				  /* if queued: the library shows that it is a target task */
	struct snapshot_word predecessors;	  /* if queued: number of tasks that it depends on */
	const struct snapshot_location *location; /* of an explicit task's construct; NULL: not known */
	int frames_rc;				  /* with SNAPSHOT_FRAMES; frame 0: the task has none */
	uint64_t exit_frame, enter_frame;
	int64_t exit_flags, enter_flags;
	bool frames_are_inferred;
	struct icv_value *icvs; /* of task and implicit_task scope */
};

/*
 * The library's answer about a lock that a thread waits for, if the lock belongs to a construct of @kind
 * (ompt_mutex_t).
 */
struct snapshot_mutex {
	uint64_t address;
	int kind;
	int rc;
	int state;	 /* OMPD_MUTEX_* (openmp/plugin/ompd.h); valid with ompd_rc_ok */
	uint32_t thread; /* the holder, in threads[]; SNAPSHOT_NONE: not known */
	pid_t tid;	 /* of a holder that is no longer present; 0: not known */
	uint32_t task;	 /* in tasks[]; SNAPSHOT_NONE: not known */
};

/*
 * The threads and tasks that thread number `thread`, or task number `task`, waits for: `n` items from
 * awaited_items[first].
 */
struct snapshot_awaited {
	uint32_t thread, task; /* one of them is SNAPSHOT_NONE */
	int rc;
	bool is_complete;
	/* If not 0: the library does not report the thread's state, and the items hold if it waits in this state. */
	int as_state;
	uint32_t first, n;
};

struct snapshot_awaited_item {
	uint32_t thread; /* in threads[]; SNAPSHOT_NONE: a task, or no longer present */
	pid_t tid;	 /* thread id reported by the library; 0: a task */
	uint32_t task;	 /* in tasks[] */
	int progress;	 /* OMPD_PROGRESS_* (openmp/plugin/ompd.h) */
};

/* A thing that a thread holds according to the code on its stack (openmp/stacks/stack_held). */
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

/* Parts that a walk may leave out. Threads, and the names of their regions and tasks, are always included. */
enum snapshot_parts {
	SNAPSHOT_PARALLELS = 1, /* regions with their members */
	SNAPSHOT_TASKS = 2,	/* tasks with parents and control variables */
	SNAPSHOT_ICVS = 4,	/* control variables of the process */
	SNAPSHOT_STATES = 8,	/* states and wait ids of threads, including inferred ones */
	SNAPSHOT_ALL = 15,
	SNAPSHOT_FRAMES = 16,  /* where tasks entered and left the runtime, for openmp/stacks/stacks */
	SNAPSHOT_HOLDERS = 32, /* data for openmp/model/wait/holder: the library's answers about waiting threads */
	/*
	 * With STATES and PARALLELS: only the activity and place of each thread, for frequent samples. Tasks are only
	 * those that threads execute, with kind and function. Members and control variables are left out.
	 */
	SNAPSHOT_SAMPLE = 64,
	SNAPSHOT_OWNERS = 128, /* of HOLDERS only the lock holders that the library reports */
	/*
	 * With TASKS and STATES: dependences of tasks that have not started, and tasks that threads wait for in
	 * taskwait and taskgroup. A runtime without a task list names its tasks only there.
	 */
	SNAPSHOT_DEPENDENCES = 256,
	/* With ALL: no control variables except the kind of a task, and its default device if files serve devices. */
	SNAPSHOT_NO_ICVS = 512,
};

struct snapshot {
	uint64_t epoch;
	unsigned runtime; /* its number: model_index() */
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
	size_t n_awaited, awaited_cap;
	struct snapshot_awaited_item *awaited_items;
	size_t n_awaited_items, awaited_items_cap;
	struct snapshot_held *helds;
	size_t n_helds;
	struct icv_value *icvs; /* of the process */
	/* The variables of each kind of object. */
	struct snapshot_icv_set process_icvs, thread_icvs, parallel_icvs, task_icvs;
	bool truncated;		  /* the walk was cut at MODEL_MAX_DEPTH, or there are too many handles */
	bool has_unlisted;	  /* there may be more tasks that have not started: the library cannot find all */
	bool cyclic;		  /* a chain was cyclic and was cut */
	bool has_gaps;		  /* levels show that the library leaves out regions */
	enum target_image origin; /* with SNAPSHOT_HOLDERS; else unknown */
	struct arena arena;
	const struct snapshot_location *last_location; /* reused: many objects have the same */
};

/* Returns the index of thread @tid in s->threads, or SNAPSHOT_NONE. */
uint32_t snapshot_find_thread(const struct snapshot *s, pid_t tid);
/* All zeroes is a valid empty snapshot. */
void snapshot_deinit(struct snapshot *s);

#endif
