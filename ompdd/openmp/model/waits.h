/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The wait graph of a snapshot, and what follows from it. Nodes are threads, tasks and what they wait for; edges say
 * who waits for what and who holds that, each with what proves it. A finding is a conclusion: a cycle, a thread that
 * others wait for, a wait that nobody can end. What is not proven is a candidate. Plain structs; no target is read
 * here.
 */
#ifndef OMPDD_OPENMP_WAITS_H
#define OMPDD_OPENMP_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/model/holder.h"
#include "openmp/model/snapshot.h"

#define WAITS_NONE UINT32_MAX

/* What a thread did between two looks. */
enum waits_motion {
	MOTION_UNKNOWN, /* there was one look only, or the kernel does not tell */
	MOTION_ASLEEP,	/* it slept all the time, in one place */
	MOTION_RAN,
};

/* What is known of a thread beside its snapshot; of one that waits for nothing of OpenMP's, what it does. */
struct waits_thread {
	enum waits_motion motion;
	/* At the moment that the snapshot is of, it slept on a word that said what it slept for. */
	bool is_asleep;
	/* What it slept for has come, or the word says something else by now: it is about to go on. */
	bool is_released;
	/* In a system call that is the program's, and whether that ends by itself, after a time. */
	bool sleeps, is_timed;
	bool is_restarted; /* or it may be: one of the calls with a limit that go on after a stop, or poll() without */
	/* Equal for threads in the same place; 0: not known. */
	uint64_t place;
	/* What it waits for is told by the routine that it is in, on its stack. */
	bool is_by_stack;
	/* Nothing says what it does in OpenMP: it may wait there awake. */
	bool is_unseen;
	/* Nothing at all says what it does, not even the kernel: an emulator executes its code. */
	bool is_hidden;
	/* It has left its region's code and waits at the end of that. */
	bool is_at_end;
};

struct waits_input {
	const struct snapshot *s;
	const struct holders *holders;
	const struct waits_thread *threads; /* one for each of the snapshot's */
	bool is_core;			    /* or stands still otherwise: motions cannot be known, and need not be */
	bool is_consistent;		    /* all of it is of one moment */
	bool is_halted;			    /* somebody has stopped the process: what does not wait would go on */
	/* The thread with which the process began: where a fork has copied a lock, it may stand for who holds that.
	 * WAITS_NONE: it has ended. */
	uint32_t first_thread;
};

enum waits_node_kind {
	WAITS_THREAD,  /* index: in snapshot.threads; WAITS_NONE: one that is not there */
	WAITS_TASK,    /* index: in snapshot.tasks */
	WAITS_THING,   /* a lock, critical, turn, or the children of a task: `what`, `id` */
	WAITS_BARRIER, /* index: in snapshot.parallels */
};

struct waits_node {
	enum waits_node_kind kind;
	uint32_t index;
	enum holder_kind what;
	uint64_t id;
	const struct holder_wait *wait; /* of a thread that waits; of a thing, that of its first waiter */
	enum holder_doing doing;	/* of a task, or of a thread that is not there */
	uint32_t n_predecessors;
	uint32_t n_waiting;  /* of things: threads that wait for it directly */
	uint32_t first_edge; /* of its own, in waits.edges; they follow each other by `next` */
};

enum waits_edge_kind { WAITS_FOR, WAITS_HELD_BY };

struct waits_edge {
	uint32_t from, to, next;
	enum waits_edge_kind kind;
	enum holder_source source;
	bool is_candidate;
	const char *evidence; /* NULL: what a thread waits for is told by its state */
};

enum waits_finding_kind {
	FINDING_CYCLE,	     /* threads wait for each other, or one for itself */
	FINDING_ENDED,	     /* the holder has ended */
	FINDING_ELSEWHERE,   /* the holder is no thread of this process: it has ended, or a fork left it behind */
	FINDING_IDLE,	     /* the holder has left its region, and is idle */
	FINDING_DIFFERENT,   /* all of a team are at barriers, and none goes on: not the same one */
	FINDING_LOST_TEAM,   /* members that a barrier waits for are no threads of this process: a fork's child */
	FINDING_BLOCKED,     /* those who are waited for sleep in something of the program's own */
	FINDING_DETACHED,    /* a task whose event nobody has fulfilled */
	FINDING_TASK_QUEUED, /* a task that nobody executes, and nobody can */
	FINDING_DEPENDENCE,  /* a task that waits for others */
	FINDING_UNKNOWN,     /* it is not known who holds it: these could */
	FINDING_SLOW,	     /* those who are waited for are at work */
	FINDING_OUTSIDE,     /* threads sleep in something of the program's own; nobody waits for them in OpenMP */
	FINDING_BUSY,	     /* threads are at work; nobody waits for them */
	FINDING_KINDS
};

struct waits_finding {
	enum waits_finding_kind kind;
	bool is_proven;
	enum holder_kind what; /* of the wait that it is about; HOLDER_NONE: of none */
	uint32_t thing;	       /* node; WAITS_NONE */
	const uint32_t *nodes; /* the culprits, or a cycle's threads and things in turn, as they wait */
	uint32_t n_nodes;
	uint32_t n_waiting; /* threads that wait for it, directly or for one another; without the culprits */
};

enum waits_verdict {
	VERDICT_DEADLOCK, /* what is waited for can never come */
	VERDICT_BLOCKED,  /* nothing moves, and waits in OpenMP end at threads that sleep in something else */
	VERDICT_WAITING,  /* the program waits outside of OpenMP, or sleeps for a time */
	VERDICT_BUSY,	  /* it is at work */
	VERDICT_IDLE,	  /* no thread does anything in OpenMP */
	VERDICT_UNKNOWN,  /* threads wait, and it is not known for whom */
};

struct waits {
	struct waits_node *nodes;
	uint32_t n_nodes, cap_nodes;
	struct waits_edge *edges;
	uint32_t n_edges, cap_edges;
	struct waits_finding *findings; /* the most certain first, then those that most wait for */
	uint32_t n_findings, cap_findings;
	enum waits_verdict verdict;
	/* That is unknown because threads run, or an emulator runs them, and nothing says of one whether it works. */
	bool is_unseen;
	/* Threads of OpenMP: those that wait in it, that idle in a pool, that sleep elsewhere, and the others. */
	uint32_t n_waiting, n_idle, n_sleeping, n_running;
	uint32_t n_awake; /* of those that wait: they may go on */
	struct arena arena;
};

/* The graph of @in, which must outlive @ret, and what follows. Fails for lack of memory only. */
MUST_USE struct error *waits_find(const struct waits_input *in, struct waits *ret);
/*
 * @threads of the snapshot, @n, have gone on since an earlier look: a finding says so, and the verdict is that the
 * program is at work. Fails for lack of memory only.
 */
MUST_USE struct error *waits_note_moved(struct waits *w, const uint32_t *threads, uint32_t n);
/* All zeroes is a valid empty value. */
void waits_deinit(struct waits *w);

/* "deadlock", "task_queued": names of the wire. Literals. */
const char *waits_verdict_name(enum waits_verdict verdict);
const char *waits_finding_name(enum waits_finding_kind kind);

/* Parts of waits_find(), each in a file of its own. */

/* The nodes and edges. openmp/model/waits_graph.c */
MUST_USE struct error *waits_build(const struct waits_input *in, struct waits *w);
/* The node of @thread, made if there is none; WAITS_NONE when memory is out. */
uint32_t waits_thread_node(struct waits *w, uint32_t thread);
/* Whether the thread waits in OpenMP as far as is known, asleep or not. */
bool waits_is_waiting(const struct waits_input *in, uint32_t thread);
/* And whether it stays there as far as can be told. */
bool waits_is_settled(const struct waits_input *in, uint32_t thread);
/* FINDING_CYCLE for each; sets in_cycle[node]. openmp/model/waits_cycle.c */
MUST_USE struct error *waits_find_cycles(const struct waits_input *in, struct waits *w, bool *in_cycle);
/* For makers of findings: a zeroed one, with room for @n nodes; NULL when memory is out. */
struct waits_finding *waits_add_finding(struct waits *w, enum waits_finding_kind kind, const uint32_t *nodes,
					uint32_t n);
/* How many threads wait, by whatever way, for one of @nodes, without those themselves. Fails for lack of memory only.
 */
MUST_USE struct error *waits_count_waiting(const struct waits *w, const uint32_t *nodes, uint32_t n, uint32_t *ret);
/* Whether @thread of the snapshot waits, by whatever way, for node @thing. Fails for lack of memory only. */
MUST_USE struct error *waits_leads_to(const struct waits *w, uint32_t thread, uint32_t thing, bool *ret);

#endif
