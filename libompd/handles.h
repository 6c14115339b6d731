/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The four kinds of OMPD handles. A handle knows its kind, its process and one reference; it never
 * points at another handle. Used by the files of api/.
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

/* Of all arguments handles are looked at first: one that is none, or not any more, is stale (5.2, 20.5.1; the others
 * are bad_input). */
#define REQUIRE_HANDLE(handle, kind)                                                                                   \
	do {                                                                                                           \
		if (!handle_is(handle, kind))                                                                          \
			return ompd_rc_stale_handle;                                                                   \
	} while (0)

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

/* Whether @handle is one, of any kind or of @kind. Nothing is read at any other address; NULL is none. */
bool handle_is_live(const void *handle);
bool handle_is(const void *handle, enum handle_kind kind);

/* New handles; each takes its own reference of @process. */
ompd_rc_t handle_create_address_space(struct process *process, ompd_address_space_handle_t **ret);
ompd_rc_t handle_create_thread(struct process *process, const struct thread_ref *ref, ompd_thread_handle_t **ret);
ompd_rc_t handle_create_parallel(struct process *process, const struct region_ref *ref, ompd_parallel_handle_t **ret);
ompd_rc_t handle_create_task(struct process *process, const struct task_ref *ref, ompd_task_handle_t **ret);

/* stale_handle unless @handle is a live handle of @kind. */
ompd_rc_t handle_release(void *handle, enum handle_kind kind);

/* Release all handles of all processes, and the table's memory. The callbacks must still be installed. */
void handle_release_all(void);

/* The order of 64-bit addresses as -1, 0 or 1. */
int handle_compare_addresses(ompd_addr_t a, ompd_addr_t b);

/* Regions are equal if their teams are, implicit ones if their roots are; tasks if their records are. One after the
 * other in the same memory are not. */
int handle_compare_regions(const struct region_ref *a, const struct region_ref *b);
int handle_compare_tasks(const struct task_ref *a, const struct task_ref *b);

#endif
