/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The wait graph of a snapshot, and the conclusions from it. Nodes are threads, tasks and the things that they wait
 * for. Edges lead from a waiter to the thing and from the thing to its holder, each with its proof. A finding is a
 * conclusion: a cycle, a thread that blocks others, a wait that no thread can end. An unproven finding is a candidate.
 * The structs are plain; no target is read here.
 */
#ifndef OMPDD_OPENMP_WAITS_H
#define OMPDD_OPENMP_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/wait/holder.h"

#define WAITS_NONE UINT32_MAX

/* The activity of a thread between two samples. */
enum waits_motion {
	MOTION_UNKNOWN, /* there was only one sample, or the kernel does not report it */
	MOTION_ASLEEP,	/* it slept all the time, in one place */
	MOTION_RAN,
};

/* The result of several samples of a thread that ran. */
enum waits_progress {
	PROGRESS_UNSEEN, /* nothing that proves that it goes on; also after a single sample */
	PROGRESS_OPENMP, /* it went on from construct to construct */
	PROGRESS_PLACE,	 /* it went on in the program's code, outside of one loop */
	PROGRESS_POLLS,	 /* it slept most of the time, and was at one place or in one loop */
	PROGRESS_SPINS,	 /* it ran in one loop, with the same registers and stack */
};

/* Facts about a thread beside its snapshot. For a thread without an OpenMP wait they describe its activity. */
struct waits_thread {
	enum waits_motion motion;
	enum waits_progress progress;
	/* At the moment of the snapshot it slept on a word that named the cause of the wait. */
	bool is_asleep;
	/* The awaited event has occurred, or the word has changed by now: the thread is about to continue. */
	bool is_released;
	/* `sleeps`: in a system call of the program. `is_timed`: that call ends by itself, after a time. */
	bool sleeps, is_timed;
	/* It may be timed: a call with a limit that is restarted after a stop, or poll() without one. */
	bool is_restarted;
	/* Equal for threads in the same place; 0: not known. */
	uint64_t place;
	/* The routine on its stack shows the awaited thing. */
	bool is_by_stack;
	/* Its OpenMP activity is not known: it may busy-wait there. */
	bool is_unseen;
	/* Its activity is not known at all, not even to the kernel: an emulator executes its code. */
	bool is_hidden;
	/* It has left its region's code and waits at the end of the region. */
	bool is_at_end;
};

struct waits_input {
	const struct snapshot *s;
	const struct holders *holders;
	const struct waits_thread *threads; /* one for each thread of the snapshot */
	/* A core, or a target that does not run: motions cannot be known, and need not be. */
	bool is_core;
	bool is_consistent; /* all data is of one moment */
	/* The process was stopped by another program or user: a thread that does not wait would continue. */
	bool is_halted;
	/*
	 * The initial thread of the process. Where fork() has copied a lock, it may be the copy of the holder.
	 * WAITS_NONE: it has ended.
	 */
	uint32_t first_thread;
	/* Devices are in use. Target regions leave no record: a thread that polls may have passed some. */
	bool has_devices;
};

enum waits_node_kind {
	WAITS_THREAD,  /* index: in snapshot.threads; WAITS_NONE: a missing thread */
	WAITS_TASK,    /* index: in snapshot.tasks */
	WAITS_THING,   /* a lock, critical, turn, or the children of a task: `what`, `id` */
	WAITS_BARRIER, /* index: in snapshot.parallels */
};

struct waits_node {
	enum waits_node_kind kind;
	uint32_t index;
	enum holder_kind what;
	uint64_t id;
	const struct holder_wait *wait; /* of a waiting thread; of a thing: the wait of its first waiter */
	enum holder_doing doing;	/* of a task, or of a missing thread */
	uint32_t n_predecessors;
	uint32_t n_waiting;  /* of a thing: number of threads that wait for it directly */
	uint32_t first_edge; /* its first edge in waits.edges; `next` links the others */
};

enum waits_edge_kind { WAITS_FOR, WAITS_HELD_BY };

struct waits_edge {
	uint32_t from, to, next;
	enum waits_edge_kind kind;
	enum holder_source source;
	bool is_candidate;
	const char *evidence; /* NULL: the thread's state names the thing */
};

enum waits_finding_kind {
	FINDING_CYCLE,	     /* threads wait for each other, or one for itself */
	FINDING_ENDED,	     /* the holder has ended */
	FINDING_ELSEWHERE,   /* the holder is not a thread of this process: it has ended, or stayed behind in a fork */
	FINDING_IDLE,	     /* the holder has left its region and is idle */
	FINDING_DIFFERENT,   /* all threads of a team are at barriers, but not at the same one */
	FINDING_LOST_TEAM,   /* missing members of a barrier are not threads of this process: a fork's child */
	FINDING_ALL_WAIT,    /* the holder is not known, but all threads of the process wait */
	FINDING_DEVICE,	     /* threads wait for a device */
	FINDING_BLOCKED,     /* the awaited threads sleep in a call of the program */
	FINDING_POLLS,	     /* the awaited threads wake again and again, and stay at their places */
	FINDING_DETACHED,    /* a task with an unfulfilled event */
	FINDING_TASK_QUEUED, /* a task that no thread executes or can execute */
	FINDING_DEPENDENCE,  /* a task that waits for others */
	FINDING_UNKNOWN,     /* the holder is not known: these threads could be it */
	FINDING_SPINS,	     /* threads run in a loop that changes nothing of theirs */
	FINDING_SLOW,	     /* the awaited threads are working */
	FINDING_OUTSIDE,     /* threads sleep in a call of the program; no OpenMP wait depends on them */
	FINDING_BUSY,	     /* threads are working; no thread waits for them */
	FINDING_KINDS
};

struct waits_finding {
	enum waits_finding_kind kind;
	bool is_proven;
	enum holder_kind what; /* of its wait; HOLDER_NONE: without a wait */
	uint32_t thing;	       /* node, or WAITS_NONE */
	const uint32_t *nodes; /* the causes, or the threads and things of a cycle in turn, in waiting order */
	uint32_t n_nodes;
	uint32_t n_waiting; /* threads that wait for it, directly or through others, without the causes */
};

enum waits_verdict {
	VERDICT_DEADLOCK, /* the awaited event can never occur */
	VERDICT_BLOCKED,  /* no thread moves, and OpenMP waits end at threads that sleep in something else */
	VERDICT_WAITING,  /* the program waits outside of OpenMP, or sleeps for a time */
	VERDICT_BUSY,	  /* the program is working */
	VERDICT_IDLE,	  /* no thread is active in OpenMP */
	VERDICT_UNKNOWN,  /* threads wait, and the holder is not known */
};

struct waits {
	struct waits_node *nodes;
	uint32_t n_nodes, cap_nodes;
	struct waits_edge *edges;
	uint32_t n_edges, cap_edges;
	struct waits_finding *findings; /* sorted by certainty, then by the number of waiting threads */
	uint32_t n_findings, cap_findings;
	enum waits_verdict verdict;
	/*
	 * The verdict is unknown because threads run, or an emulator runs them, and it is not known of any whether it
	 * works.
	 */
	bool is_unseen;
	/* The verdict is unknown because threads run, and no progress was seen. */
	bool is_unproven;
	/* OpenMP threads by activity: waiting in OpenMP, idle in a pool, sleeping elsewhere, all others. */
	uint32_t n_waiting, n_idle, n_sleeping, n_running;
	uint32_t n_awake; /* of the waiting threads, those that are awake: they may continue */
	struct arena arena;
};

/* Builds the graph of @in, which must outlive @ret, and draws the conclusions. Fails for lack of memory only. */
MUST_USE struct error *waits_find(const struct waits_input *in, struct waits *ret);
/*
 * Adds a finding that the @n @threads of the snapshot have moved since an earlier sample. The verdict becomes that the
 * program is working. Fails for lack of memory only.
 */
MUST_USE struct error *waits_note_moved(struct waits *w, const uint32_t *threads, uint32_t n);
/* All zeroes is a valid empty value. */
void waits_deinit(struct waits *w);

/* Returns whether more samples of running threads may give another verdict. */
bool waits_need_progress(const struct waits *w);

/* Return names for the protocol, such as "deadlock", "task_queued": literals. */
const char *waits_verdict_name(enum waits_verdict verdict);
const char *waits_finding_name(enum waits_finding_kind kind);
const char *waits_progress_name(enum waits_progress progress);

/* Parts of waits_find(), each in a file of its own. */

/* Creates the nodes and edges. In openmp/model/wait/waits_graph.c. */
MUST_USE struct error *waits_build(const struct waits_input *in, struct waits *w);
/* Returns the node of @thread, created if missing; WAITS_NONE when memory is out. */
uint32_t waits_thread_node(struct waits *w, uint32_t thread);
/* Returns whether the library shows the thread as idle. */
bool waits_is_idle(const struct snapshot_thread *thread);
/* Returns whether the thread is idle and sleeps. One that is awake may be about to get work, or to exit. */
bool waits_stays_idle(const struct waits_input *in, uint32_t thread);
/* Returns whether the thread is known to wait in OpenMP, asleep or not. */
bool waits_is_waiting(const struct waits_input *in, uint32_t thread);
/* Returns whether the thread waits and, as far as is known, stays in that wait. */
bool waits_is_settled(const struct waits_input *in, uint32_t thread);
/* Returns whether the thread, which waits for a device, stays in that wait. */
bool waits_stays_at_device(const struct waits_input *in, uint32_t thread);
/* Adds a FINDING_CYCLE for each cycle and sets in_cycle[node]. In openmp/model/wait/waits_cycle.c. */
MUST_USE struct error *waits_find_cycles(const struct waits_input *in, struct waits *w, bool *in_cycle);
/* Adds a finding for the barrier @thing that no thread leaves. In openmp/model/wait/waits_barrier.c. */
MUST_USE struct error *waits_add_barrier_finding(const struct waits_input *in, struct waits *w, uint32_t thing);
/* Sorts the findings, and sets the verdict that they give. In openmp/model/wait/waits_verdict.c. */
void waits_conclude(const struct waits_input *in, struct waits *w);
/* Adds and returns a zeroed finding with room for @n nodes; NULL when memory is out. */
struct waits_finding *waits_add_finding(struct waits *w, enum waits_finding_kind kind, const uint32_t *nodes,
					uint32_t n);
/*
 * Counts the threads that wait, directly or not, for one of @nodes, without @nodes themselves. Fails for lack of memory
 * only.
 */
MUST_USE struct error *waits_count_waiting(const struct waits *w, const uint32_t *nodes, uint32_t n, uint32_t *ret);
/* Finds whether @thread of the snapshot waits, directly or not, for node @thing. Fails for lack of memory only. */
MUST_USE struct error *waits_leads_to(const struct waits *w, uint32_t thread, uint32_t thing, bool *ret);

#endif
