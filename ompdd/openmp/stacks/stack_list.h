/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A stack as it is shown. The physical stack lists frame by frame. The logical stack folds the runtime's frames and has
 * boundaries where a region or a task starts. Equal stacks of many threads are shown as one.
 */
#ifndef OMPDD_OPENMP_STACK_LIST_H
#define OMPDD_OPENMP_STACK_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "openmp/stacks/stacks.h"

enum stack_item_kind {
	ITEM_FRAME,
	ITEM_CONSTRUCT, /* folded frames of the runtime */
	ITEM_PARALLEL,	/* start of the implicit task above; below is the code that encountered the region */
	ITEM_TASK,	/* start of the explicit task above; below is the code that generated it */
};

struct stack_item {
	enum stack_item_kind kind;
	struct stacks_place *place; /* of a frame; else of the call that entered the folded frames, NULL: not known */
	enum frame_kind frame_kind;
	uint64_t sp;
	uint8_t from, to; /* of a frame: see struct stacks_frame */
	int32_t device;	  /* of a frame with code of a device: its number, or as in stack_device.h */
	uint32_t n_folded;
	uint32_t task;	   /* boundaries: the task that ends here, an index in snapshot.tasks */
	uint32_t parallel; /* ITEM_PARALLEL: index in snapshot.parallels, SNAPSHOT_NONE: not known */
	int64_t number;	   /* ITEM_PARALLEL: thread number in the team; -1: not known */
	pid_t thread;	   /* boundaries: the thread of the frames below; 0: no thread */
};

struct stack_list {
	struct stack_item *items; /* innermost first */
	uint32_t n, cap;
	enum stack_end end;
	bool is_lost; /* logical: the chain of tasks does not reach the initial task */
};

/* All zeroes is a valid empty list. */
void stack_list_deinit(struct stack_list *l);

/* Creates the list of thread number @i of @st. Fails only if memory is out. */
MUST_USE struct error *stack_list_physical(struct stacks *st, size_t i, struct stack_list *ret);
MUST_USE struct error *stack_list_logical(struct stacks *st, size_t i, struct stack_list *ret);

struct stack_group {
	struct stack_list list; /* of the first of its threads */
	uint32_t *threads;	/* numbers in stacks.threads, ascending */
	uint32_t n_threads, cap;
	/* Entry n: all threads are in the same region at the n-th item (ITEM_PARALLEL). */
	bool *same_parallel;
	uint64_t hash;
};

struct stack_groups {
	struct stack_group *groups; /* in order of their first threads */
	size_t n, cap;
};

/*
 * Creates the groups. Threads whose lists differ only in handles, thread numbers and stack addresses form one group.
 * Threads that are shown elsewhere are in no group.
 */
MUST_USE struct error *stack_groups_make(struct stacks *st, bool logical, struct stack_groups *ret);
void stack_groups_deinit(struct stack_groups *g);

/* Returns the next item of @l to fill. Returns NULL if memory is out or the list has reached stacks.max_frames. */
struct stack_item *stack_list_add(const struct stacks *st, struct stack_list *l);

#endif
