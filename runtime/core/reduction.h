/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reductions in which tasks take part (OpenMP 5.2, 5.5.7 to 5.5.10). A construct has an array that gcc made, and which
 *says what is reduced and what each thread's copies need; here they get memory, and a task finds the copies of its
 *thread.
 *
 *	[0] variables n	[1] bytes per thread	[2] alignment; then the memory: n_threads times [1]
 *	[3] -1		[4] 0; then the array of the enclosing construct	[5] unused; [6] end of the memory
 *	[7 + 3 i] address of variable i, [8 + 3 i] its offset in a thread's part, [9 + 3 i] unused
 */
#ifndef OMPDD_RUNTIME_CORE_REDUCTION_H
#define OMPDD_RUNTIME_CORE_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct team;
struct thread;
struct workshare;

/* What is registered with a team. */
struct reduction {
	struct reduction *next;
	uint64_t *data;	 /* parallel: gcc's; else a copy, right behind this struct */
	uint32_t n_left; /* 0: parallel; else threads that have not left the construct */
};

/* Memory, all zero, for @n_threads. */
void reduction_alloc(uint64_t *data, uint32_t n_threads);
void reduction_free(uint64_t *data);

/* Of the current task's innermost taskgroup; after the end of that, reduction_free(). */
void reduction_register(struct thread *t, uint64_t *data);

/*
 * reduction(task, ...) on parallel: team_begin() gets a struct reduction with @data that has memory. On loop, sections
 * or scope: each thread passes its own array when it enters; @first: the one that fills in @ws (before
 * workshare_publish()), the others get the same memory. At the end, after the construct's barrier: if that was not
 * cancelled, the primary thread has combined the parts before it comes here, and this is a second barrier; the memory
 * goes when all have left.
 */
void reduction_workshare_begin(struct thread *t, struct workshare *ws, uint64_t *data, bool first);
void reduction_workshare_end(struct thread *t, bool cancelled);
/* At the end of a region, when all tasks are done: what was cancelled. */
void reduction_team_end(struct team *team) __attribute__((cold));

/*
 * @pointers[0 .. @n): addresses of variables, or of a thread's copies; become those of the calling thread's copies. For
 * the first @n_original of them, @pointers[@n + i] becomes the address of the variable itself.
 */
void reduction_remap(struct thread *t, size_t n, size_t n_original, void **pointers);

#endif
