/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Dependences among the children of one task (OpenMP 5.2, 15.9). Only the thread that executes the parent encounters
 * their constructs, so the table needs no lock. A finished task and its next sibling may meet; they use the node of
 * the former, without locks.
 *
 * gcc's list: [0] total, [1] number of out and inout, then the addresses, out first, then in. Or [0] = 0: [1] total,
 * [2] out and inout, [3] mutexinoutset, [4] in, the addresses in this order, then addresses of omp_depend_t objects.
 * NULL with out or inout is omp_all_memory (gcc 13 and newer).
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_DEPEND_H
#define OMPDD_RUNTIME_CORE_TASK_DEPEND_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

enum { DEPEND_LINKS = 3 };

/* @task waits for the task that owns the list. */
struct depend_link {
	struct task *task;
	struct depend_link *next;
};

/* Further links of a task that has many predecessors. */
struct depend_links {
	struct depend_links *next;
	struct depend_link links[];
};

/* A task's place among its siblings, in its slot, before its data. */
struct depend_node {
	struct depend_link *successors; /* atomic; DEPEND_CLOSED: the task is done */
	int32_t n_pending;		/* predecessors that are not done; atomic; see depend_register() */
	uint32_t n_table;		/* occurrences in the table; only the parent's thread */
	const struct task *newest;	/* the task whose link was pushed last; only the parent's thread */
	uint32_t is_released;		/* atomic: table or task no longer needs the slot */
	uint32_t n_links;		/* used links of the newest block, or of `first` */
	uint32_t n_room;
	struct depend_links *more;
	struct depend_link first[DEPEND_LINKS];
};

/* Returns whether a new task with @depend would not have to wait for earlier children of the current task. */
bool depend_is_satisfied(const struct task *parent, void *const *depend);
/*
 * Orders a new @task with @depend, whose node is all zero, after its siblings. Returns true if it has to wait for
 * none. Otherwise the end of its last predecessor calls task_ready(), maybe before this returns, or wakes the thread
 * of an undeferred task.
 */
bool depend_register(struct thread *t, struct task *task, void *const *depend);
/* @task is done: its successors may run. */
void depend_release_successors(struct thread *t, struct task *task);
/*
 * Returns whether the struct of @task can be freed. If not, the table of its siblings still needs it and frees it
 * later.
 */
bool depend_node_release(struct task *task);
/* Frees the table of @task's children: @task encounters no further construct. */
void depend_table_destroy(struct thread *t, struct task *task);

#endif
