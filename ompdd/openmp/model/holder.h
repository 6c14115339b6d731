/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Who holds what the threads of a snapshot wait for: a lock's owner, who has not reached the barrier, which tasks are
 * not done, whose turn it is. Only what is proven is a holder; who merely could be one is a candidate. Facts for
 * verdicts, which are drawn elsewhere.
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

/* Candidates of one wait that are listed; more are counted only. */
#define HOLDER_MAX_CANDIDATES 64

/* What a thread waits for. */
enum holder_kind {
	HOLDER_NONE, /* nothing, or it is not known */
	HOLDER_LOCK,
	HOLDER_NEST_LOCK,
	HOLDER_CRITICAL,
	HOLDER_ATOMIC,
	HOLDER_MUTEX,	/* one of those, or one of the runtime's own */
	HOLDER_PTHREAD, /* a mutex of the C library */
	HOLDER_ORDERED,
	HOLDER_SINGLE, /* the data of a single with copyprivate */
	HOLDER_BARRIER,
	HOLDER_TASKWAIT,
	HOLDER_TASKGROUP,
	HOLDER_KINDS
};

/* What proves it. */
enum holder_source {
	HOLDER_FROM_PLUGIN, /* the OMPD library says so */
	HOLDER_FROM_MEMORY, /* the program's memory: the lock names its owner */
	HOLDER_FROM_CODE,   /* the code of a function on the stack: all ways to where it is lead through the acquisition
			     */
	HOLDER_FROM_KERNEL, /* what the kernel says of the thread */
	HOLDER_INFERRED,    /* nothing does: candidates only */
};

/* What a holder does itself. */
enum holder_doing {
	HOLDER_DOING_UNKNOWN,
	HOLDER_WORKS,	  /* on a CPU, or ready for one */
	HOLDER_WAITS,	  /* it is in `waits` itself, or waits for something that is not known */
	HOLDER_SLEEPS,	  /* in a system call that is the program's: `call` */
	HOLDER_IDLE,	  /* in the pool: it executes no region */
	HOLDER_QUEUED,	  /* a task that has not begun; `n_predecessors` */
	HOLDER_DETACHED,  /* a task whose block is over, and whose event nobody has fulfilled */
	HOLDER_ENDED,	  /* the thread is not there any more */
	HOLDER_ELSEWHERE, /* no thread of the process: one of that which forked it, or it has ended */
};

struct holder {
	uint32_t thread; /* in snapshot.threads; SNAPSHOT_NONE: it is not there, or a task that no thread executes */
	pid_t tid;	 /* the kernel's id of that thread, also when it is not there; 0: not known */
	pid_t process;	 /* HOLDER_ELSEWHERE: whose thread it is, and which forked this one; 0: not known */
	uint32_t task;	 /* in snapshot.tasks; SNAPSHOT_NONE: no task in particular, or it is not known which */
	enum holder_source source;
	enum holder_doing doing;
	long call;		 /* HOLDER_SLEEPS: the system call's number, else -1; name: target/syscalls.h */
	uint32_t n_predecessors; /* HOLDER_QUEUED: tasks that it waits for because of dependences, as far as known */
	const char *evidence;	 /* a sentence without its full stop, in plain English */
};

struct holder_wait {
	uint32_t thread; /* in snapshot.threads: who waits */
	uint32_t task;	 /* in snapshot.tasks: its current task; SNAPSHOT_NONE */
	enum holder_kind kind;
	uint64_t wait_id; /* as in snapshot_thread; 0: it has none */
	/* The program's lock, where its code shows it; 0: it does not. The runtime may wait for a record of its own. */
	uint64_t address;
	bool is_only; /* it is the runtime's only one of its kind, as the code shows */
	const struct holder *holders;
	uint32_t n_holders;
	bool is_complete; /* those are all that it waits for; none: nothing keeps it any more, it is about to go on */
	/* If not complete: who else could be one, as nothing says that they are not; the first of `n_candidates`. */
	const struct holder *candidates;
	uint32_t n_listed, n_candidates;
	const char *unknown; /* if not complete: why not; a sentence without its full stop */
};

/* A task that has not begun, and one that it waits for because of a dependence; both in snapshot.tasks. */
struct holder_dependence {
	uint32_t task, on;
};

struct holders {
	struct holder_wait *waits; /* in the order of the threads */
	size_t n;
	struct holder_dependence *dependences; /* as far as the runtime says */
	size_t n_dependences;
	struct arena arena;
};

/*
 * Who holds what, for each thread of @s that waits. @s was walked with SNAPSHOT_HOLDERS and all of SNAPSHOT_ALL, and
 * has gone through infer_snapshot(); stack_fill_snapshot() before gives it what the code proves. Reads no target
 * memory. The result refers to @s.
 */
MUST_USE struct error *holders_find(struct model *m, const struct snapshot *s, struct holders *ret);
/* All zeroes is a valid empty value. */
void holders_deinit(struct holders *h);

/* The wait of thread @thread of the snapshot; NULL: it waits for nothing that is known. */
const struct holder_wait *holders_of(const struct holders *h, uint32_t thread);

/* Whether the library says that the thread waits at a barrier. */
bool holder_is_at_barrier(const struct snapshot_thread *thread);

/* "nest_lock", "plugin", "idle": names of the wire. Literals. */
const char *holder_kind_name(enum holder_kind kind);
const char *holder_source_name(enum holder_source source);
const char *holder_doing_name(enum holder_doing doing);

#endif
