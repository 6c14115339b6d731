/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The holders of the things that the threads of a snapshot wait for. A holder is a lock's owner, a thread missing at a
 * barrier, an unfinished task, or the thread whose turn it is. Only a proven holder is a holder; a possible holder is a
 * candidate. Verdicts are drawn elsewhere.
 */
#ifndef OMPDD_OPENMP_HOLDER_H
#define OMPDD_OPENMP_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "openmp/model/arena.h"

struct model;
struct snapshot;
struct snapshot_thread;

/* Candidates listed for each wait; the rest is only counted. */
#define HOLDER_MAX_CANDIDATES 64

/* Kinds of things that a thread waits for. */
enum holder_kind {
	HOLDER_NONE, /* nothing, or not known */
	HOLDER_LOCK,
	HOLDER_NEST_LOCK,
	HOLDER_CRITICAL,
	HOLDER_ATOMIC,
	HOLDER_MUTEX,	/* one of the kinds above, or the runtime's own */
	HOLDER_PTHREAD, /* a mutex of the C library */
	HOLDER_GIL,	/* Python's global interpreter lock */
	HOLDER_ORDERED,
	HOLDER_SINGLE, /* the data of a single with copyprivate */
	HOLDER_BARRIER,
	HOLDER_TASKWAIT,
	HOLDER_TASKGROUP,
	HOLDER_DEVICE, /* a device: the end of a target region or of a transfer */
	/* Objects of the C library: see openmp/model/wait/outside.h. */
	HOLDER_RWLOCK,
	HOLDER_CONDITION,
	HOLDER_SEMAPHORE,
	HOLDER_JOIN,   /* the end of another thread */
	HOLDER_STREAM, /* the lock of a FILE */
	HOLDER_ARENA,  /* the lock of an arena of malloc */
	HOLDER_KINDS
};

/* Sources of proof for a holder. */
enum holder_source {
	HOLDER_FROM_PLUGIN, /* the OMPD library says so */
	HOLDER_FROM_MEMORY, /* the program's memory: the lock names its owner */
	HOLDER_FROM_CODE,   /* code on the stack: every path there passes the acquisition */
	HOLDER_FROM_KERNEL, /* the kernel reports it for the thread */
	HOLDER_INFERRED,    /* no proof: candidates only */
};

/* The activity of a holder. */
enum holder_doing {
	HOLDER_DOING_UNKNOWN,
	HOLDER_WORKS,	  /* on a CPU, or ready for one */
	HOLDER_WAITS,	  /* it has a wait of its own in `waits`, or waits for something unknown */
	HOLDER_SLEEPS,	  /* in a system call of the program: `call` */
	HOLDER_IDLE,	  /* in the pool: it executes no region */
	HOLDER_QUEUED,	  /* a task that has not started; see `n_predecessors` */
	HOLDER_DETACHED,  /* a task with a finished block and an unfulfilled event */
	HOLDER_OFFLOADED, /* a target task whose region a device executes; no thread does */
	HOLDER_ENDED,	  /* the thread has exited */
	HOLDER_ELSEWHERE, /* not a thread of the process: a thread of the process that forked it, or it has ended */
};

struct holder {
	uint32_t thread; /* in snapshot.threads; SNAPSHOT_NONE: not present, or a task without a thread */
	pid_t tid;	 /* the thread's kernel id, also when it is not present; 0: not known */
	pid_t process;	 /* HOLDER_ELSEWHERE: the process of the thread, which forked this one; 0: not known */
	uint32_t task;	 /* in snapshot.tasks; SNAPSHOT_NONE: no particular task, or not known */
	enum holder_source source;
	enum holder_doing doing;
	long call;		 /* HOLDER_SLEEPS: system call number, else -1; name: target/arch/syscalls.h */
	uint32_t n_predecessors; /* HOLDER_QUEUED: known tasks that it depends on */
	const char *evidence;	 /* a sentence without its full stop, in plain English */
};

struct holder_wait {
	uint32_t thread; /* in snapshot.threads: the waiting thread */
	uint32_t task;	 /* in snapshot.tasks: its current task; SNAPSHOT_NONE */
	enum holder_kind kind;
	uint64_t wait_id; /* as in snapshot_thread; 0: none */
	/* The program's lock, if its code shows the lock, else 0. The runtime may wait for a record of its own. */
	uint64_t address;
	bool is_only; /* the code shows that it is the runtime's only one of its kind */
	const struct holder *holders;
	uint32_t n_holders;
	bool is_complete; /* no holder is missing; with no holders the thread is about to continue */
	/* If not complete: possible holders that nothing excludes; the first `n_listed` of `n_candidates`. */
	const struct holder *candidates;
	uint32_t n_listed, n_candidates;
	const char *unknown; /* if not complete: the reason; a sentence without its full stop */
};

/* A task that has not started, and a task that it depends on; both in snapshot.tasks. */
struct holder_dependence {
	uint32_t task, on;
};

struct holders {
	struct holder_wait *waits; /* in the order of the threads */
	size_t n;
	struct holder_dependence *dependences; /* those that the runtime reports */
	size_t n_dependences;
	struct arena arena;
};

/*
 * Finds the holders for each waiting thread of @s. @s was walked with SNAPSHOT_HOLDERS and SNAPSHOT_ALL, and went
 * through infer_snapshot(). stack_fill_snapshot(), called before, adds what the code proves. Reads no target memory.
 * The result refers to @s; free it with holders_deinit().
 */
MUST_USE struct error *holders_find(struct model *m, const struct snapshot *s, struct holders *ret);
/* All zeroes is a valid empty value. */
void holders_deinit(struct holders *h);

/* Returns the wait of thread number @thread of the snapshot, or NULL if no wait is known. */
const struct holder_wait *holders_of(const struct holders *h, uint32_t thread);

/* Returns whether the library says that the thread waits at a barrier. */
bool holder_is_at_barrier(const struct snapshot_thread *thread);

/* Return names for the protocol, such as "nest_lock", "plugin", "idle": literals. */
const char *holder_kind_name(enum holder_kind kind);
const char *holder_source_name(enum holder_source source);
const char *holder_doing_name(enum holder_doing doing);

/* Returns whether @ancestor generated @task, directly or through other tasks; both in snapshot.tasks. */
bool holder_task_descends(const struct snapshot *s, uint32_t task, uint32_t ancestor);

#endif
