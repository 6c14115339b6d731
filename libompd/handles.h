/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The four kinds of OMPD handles, for the files of api/. A handle holds its kind, its process and
 * one reference. It never points at another handle.
 */
#ifndef OMPDD_LIBOMPD_HANDLES_H
#define OMPDD_LIBOMPD_HANDLES_H

#include "process.h"

enum handle_kind {
	HANDLE_ADDRESS_SPACE,
	HANDLE_THREAD,
	HANDLE_PARALLEL,
	HANDLE_TASK,
};

struct handle {
	enum handle_kind kind;
	struct process *process;
};

struct _ompd_aspace_handle {
	struct handle base;
};

struct _ompd_thread_handle {
	struct handle base;
	struct thread_ref ref;
};

struct _ompd_parallel_handle {
	struct handle base;
	struct region_ref ref;
};

struct _ompd_task_handle {
	struct handle base;
	struct task_ref ref;
};

/*
 * Return whether @handle is a live handle, of any kind or of @kind. Only the memory of live handles
 * is read. NULL is not a handle.
 */
bool handle_is_live(const void *handle);
bool handle_is(const void *handle, enum handle_kind kind);

/*
 * Start a routine: return an error without a callback table, and stale_handle if @handle is not a
 * live handle of @kind. Routines check handles before all other arguments: wrong handles are
 * stale_handle (5.2, 20.5.1), other wrong arguments bad_input.
 */
ompd_rc_t handle_require(const void *handle, enum handle_kind kind);

/* Return the reference in a live handle. An address space, or NULL, has none. */
struct subject handle_subject(const struct handle *handle);

/* Create a handle, which takes its own reference of @process. The caller owns the handle. */
ompd_rc_t handle_create_address_space(struct process *process, ompd_address_space_handle_t **ret);
ompd_rc_t handle_create_thread(struct process *process, const struct thread_ref *ref, ompd_thread_handle_t **ret);
ompd_rc_t handle_create_parallel(struct process *process, const struct region_ref *ref, ompd_parallel_handle_t **ret);
ompd_rc_t handle_create_task(struct process *process, const struct task_ref *ref, ompd_task_handle_t **ret);

/* Release @handle, after handle_require(). */
ompd_rc_t handle_release(void *handle, enum handle_kind kind);

/* Release the @n handles in the array @list, and the array. */
void handle_release_list(void *list, size_t n);

/* Release all handles of all processes, and the table's memory. The callbacks must still be installed. */
void handle_release_all(void);

/* Compare 64-bit addresses: -1, 0 or 1. */
int handle_compare_addresses(ompd_addr_t a, ompd_addr_t b);

/*
 * Compare by team, then by pool, then by root; tasks by record. Different regions or tasks that
 * used the same memory, one after the other, are not equal.
 */
int handle_compare_regions(const struct region_ref *a, const struct region_ref *b);
int handle_compare_tasks(const struct task_ref *a, const struct task_ref *b);

#endif
