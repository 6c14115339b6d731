/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arguments for the routines: handles of the target's threads, regions and tasks, and handles that
 * are not valid. A function that cannot get its handle ends the child with "not asked".
 */
#ifndef OMPD_KIT_FIXTURE_H
#define OMPD_KIT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"
#include "target.h"

/* Where routines store their results; a line may use any member. */
extern union out {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
	const char *text;
	const char *const *vector;
	ompd_word_t word;
	ompd_address_t address;
	int number;
	uint64_t id;
	void **list;
} out;

/* Use the threads of @target from now on. */
void fixture_open(const struct target *target);

/* The handle of the address space. */
ompd_address_space_handle_t *fixture_space(void);

/* The number of the target's threads, and the handle of thread @i; NULL: not an OpenMP thread. */
size_t fixture_n_threads(void);
ompd_thread_handle_t *fixture_thread_of(size_t i);
const struct target_thread *fixture_native(size_t i);

/* The initial thread of the process, its innermost region, and its implicit task in that region. */
ompd_thread_handle_t *fixture_thread(void);
ompd_parallel_handle_t *fixture_parallel(void);
ompd_task_handle_t *fixture_task(void);

/* Another OpenMP thread, another region, another task. */
ompd_thread_handle_t *fixture_other_thread(void);
ompd_parallel_handle_t *fixture_other_parallel(void);
ompd_task_handle_t *fixture_other_task(void);

/* The number of threads of a region, and the number of a thread in its innermost region. */
int fixture_team_size(ompd_parallel_handle_t *parallel);
int fixture_number(ompd_thread_handle_t *thread);

/* A thread that executes an explicit task, and this task. A thread without a team. */
ompd_thread_handle_t *fixture_task_thread(void);
ompd_task_handle_t *fixture_explicit_task(void);
ompd_thread_handle_t *fixture_idle_thread(void);

/* A thread of the target that is not an OpenMP thread. */
const struct target_thread *fixture_foreign_thread(void);

/* The last region and the last task on the way outwards. */
ompd_parallel_handle_t *fixture_outermost(void);
ompd_task_handle_t *fixture_initial_task(void);

/* Handles that were released, and memory that is not a handle. */
void *fixture_released_space(void);
void *fixture_released_thread(void);
void *fixture_released_parallel(void);
void *fixture_released_task(void);
void *fixture_garbage(void);

/* Return the id of an ICV, and its scope. Ends the child if the library does not enumerate it. */
ompd_icv_id_t fixture_icv(const char *name, ompd_scope_t *scope);

/* Return a handle for @scope, of the threads and tasks above. */
void *fixture_handle(ompd_scope_t scope);

/* Return the value of an ICV. Ends the child if it is not available. */
ompd_word_t fixture_icv_value(void *handle, const char *name);

/*
 * Check the results of a comparison in both orders. End the child with "wrong" unless they show
 * one entity (@is_one) or two.
 */
ompd_rc_t fixture_check_order(int first, int second, bool is_one);

#endif
