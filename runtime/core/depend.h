/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Dependences among the children of one task (OpenMP 5.2, 15.9). Only the thread that executes that task meets their
 * constructs, so the table is its own; what a finished task and the next sibling do at the same time goes through the
 * node of the former, without locks.
 *
 * gcc's list: [0] total, [1] out and inout ones, addresses, out first, then in. Or, with [0] = 0: [1] total, [2] out
 * and inout, [3] mutexinoutset, [4] in, the addresses in this order, then addresses of omp_depend_t objects.
 * The address NULL with out or inout is omp_all_memory (gcc 13 and newer).
 */
#ifndef OMPDD_RUNTIME_CORE_DEPEND_H
#define OMPDD_RUNTIME_CORE_DEPEND_H

#include "core/task.h"

enum { DEPEND_LINKS = 3 };

/* @task waits for the task in whose list this is. */
struct depend_link {
	struct task *task;
	struct depend_link *next;
};

/* Further links of a task that has many predecessors. */
struct depend_links {
	struct depend_links *next;
	struct depend_link links[];
};

/* A task's place among its siblings; in its slot, before its data. */
struct depend_node {
	struct depend_link *successors; /* atomic; DEPEND_CLOSED: the task is done */
	int32_t n_pending;		/* predecessors that are not done; atomic; see depend_register() */
	uint32_t n_table;		/* times that the table has it; the parent's thread alone */
	const struct task *newest;	/* whose link was pushed last; the parent's thread alone */
	uint32_t let_go;		/* atomic: one of table and task needs the slot no more */
	uint32_t n_links;		/* of the newest block, or of `first` */
	uint32_t n_room;
	struct depend_links *more;
	struct depend_link first[DEPEND_LINKS];
};

/* omp_depend_t */
struct depend_object {
	const void *address;
	uintptr_t kind; /* enum depend_kind */
};

/* The numbers are gcc's, in omp_depend_t. INOUTSET comes with newer ones. */
enum depend_kind { DEPEND_IN = 1, DEPEND_OUT, DEPEND_INOUT, DEPEND_MUTEXINOUTSET, DEPEND_INOUTSET };

/* Whether nothing that the current task generated before stands in the way of a task with @depend. */
bool depend_is_satisfied(const struct task *parent, void *const *depend);
/*
 * Put a new @task with @depend, whose node is all zero, after its siblings. True: nothing to wait for. False: when the
 * last of its predecessors is done, task_ready() is called for it, maybe before this returns; or, if it is undeferred,
 * its thread is woken.
 */
bool depend_register(struct thread *t, struct task *task, void *const *depend);
/* @task is done: let its successors go on. */
void depend_release_successors(struct thread *t, struct task *task);
/* @task's struct is needed no more but by the table of its siblings; false: that still needs it, and frees it later. */
bool depend_node_let_go(struct task *task);
/* The table of @task's children: @task meets no further construct. */
void depend_table_destroy(struct thread *t, struct task *task);

#endif
