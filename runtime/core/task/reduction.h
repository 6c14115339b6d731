/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off */
/*
 * Reductions in which tasks participate (OpenMP 5.2, 5.5.7 to 5.5.10). gcc's code passes an array per construct, with
 * its variables and the size of each thread's copies. The runtime adds memory, and finds the copies of a task's thread.
 *
 *	word		content
 *	[0]		number of variables
 *	[1]		bytes per thread
 *	[2]		alignment; afterwards the memory: n_threads times [1]
 *	[3]		-1
 *	[4]		0; afterwards the array of the enclosing construct
 *	[5]		unused
 *	[6]		end of the memory
 *	[7 + 3 i]	address of variable i
 *	[8 + 3 i]	its offset in a thread's part
 *	[9 + 3 i]	unused
 */
/* clang-format on */
#ifndef OMPDD_RUNTIME_CORE_TASK_REDUCTION_H
#define OMPDD_RUNTIME_CORE_TASK_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct team;
struct thread;
struct workshare;

/* An array that is registered with a team. */
struct reduction {
	struct reduction *next;
	uint64_t *data;	 /* parallel: gcc's; otherwise a copy that follows this struct */
	uint32_t n_left; /* 0: parallel; otherwise threads that have not left the construct */
};

/* Allocates zeroed memory for @n_threads. */
void reduction_alloc(uint64_t *data, uint32_t n_threads);
void reduction_free(uint64_t *data);

/* Registers @data with the current task's innermost taskgroup. After the end of the group call reduction_free(). */
void reduction_register(struct thread *t, uint64_t *data);

/*
 * reduction(task, ...). On parallel, team_begin() gets a struct reduction whose @data has memory. On loop, sections or
 * scope each thread passes its own array when it enters. @first: the thread that fills in @ws, before
 * workshare_publish(); the others get the same memory. At the end, after the construct's barrier: unless it was
 * cancelled, the primary thread has combined the parts, and this is a second barrier. The last thread to leave frees
 * the memory.
 */
void reduction_workshare_begin(struct thread *t, struct workshare *ws, uint64_t *data, bool first);
void reduction_workshare_end(struct thread *t, bool cancelled);
/* Frees the memory of cancelled constructs at the end of a region, after all tasks. */
void reduction_team_end(struct team *team) __attribute__((cold));

/*
 * Replaces @pointers[0 .. @n), addresses of variables or of a thread's copies, by those of the calling thread's
 * copies. For the first @n_original of them, @pointers[@n + i] becomes the address of the variable itself.
 */
void reduction_remap(struct thread *t, size_t n, size_t n_original, void **pointers);

#endif
