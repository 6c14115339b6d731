/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of our runtime's structs: one read of the target each. The table that the runtime exports
 * has the offsets of the fields. Shared by the files of omprt/. Their public functions are the
 * members of backend_omprt.
 */
#ifndef OMPDD_LIBOMPD_OMPRT_H
#define OMPDD_LIBOMPD_OMPRT_H

#include "layout/layout.h"
#include "ompd-more.h"
#include "process.h"

/* Limit on the bytes that are copied of a struct; the fields that a debugger needs come first. */
#define OMPRT_MAX_SPAN	  1024
#define OMPRT_MAX_THREADS (1u << 20)

struct omprt {
	struct layout layout;
	uint32_t behind;	       /* distance from the address in pthread_t to the thread pointer */
	uint32_t span[LAYOUT_ENTRIES]; /* bytes to copy, by the number of each struct; 0 for fields */
};

/* A copy of one struct of the target. */
struct omprt_copy {
	const struct omprt *o;
	ompd_addr_t address;
	uint8_t bytes[OMPRT_MAX_SPAN];
};

static inline const struct omprt *omprt_of(const struct process *process)
{
	return process->data;
}

/* omprt/copy.c */
/* Copy the struct of @type (a number of LAYOUT_STRUCT) at @address. */
ompd_rc_t omprt_read(const struct process *process, enum layout_entry_number type, ompd_addr_t address,
		     struct omprt_copy *ret);
/* Return or replace a field of 1, 2, 4 or 8 bytes in the copy. It is not sign-extended. */
uint64_t omprt_field(const struct omprt_copy *copy, enum layout_entry_number field);
void omprt_put(struct omprt_copy *copy, enum layout_entry_number field, uint64_t value);

/* Copy the team at @address and return its region. stale_handle: the team is not in use. */
ompd_rc_t omprt_team(const struct process *process, ompd_addr_t address, struct omprt_copy *team,
		     struct region_ref *ret);
/* Copy the team of @region. stale_handle: another region uses the memory now. */
ompd_rc_t omprt_region(const struct process *process, const struct region_ref *region, struct omprt_copy *team);
/* Return the address of the record of member @number of @team. */
ompd_addr_t omprt_member(const struct omprt_copy *team, uint64_t number);
/* Copy the task at @address, and return it with its region. */
ompd_rc_t omprt_task(const struct process *process, ompd_addr_t address, struct omprt_copy *task, struct task_ref *ret);
/*
 * Copy the record of the task @ref. stale_handle: the task or its region has ended. An implicit
 * task has no record until its member starts. Then the copy has the values that the task will start
 * with.
 */
ompd_rc_t omprt_task_of(const struct process *process, const struct task_ref *ref, struct omprt_copy *task);
/* Return the implicit task of member @number. */
struct task_ref omprt_implicit_task(const struct process *process, const struct region_ref *region,
				    const struct omprt_copy *team, uint64_t number);
/* Return whether @address is the record of an implicit task of @team, and the number of its member. */
bool omprt_is_implicit(const struct process *process, const struct omprt_copy *team, ompd_addr_t address,
		       uint64_t *number_ret);
/* Copy the thread. stale_handle: the runtime does not know it, or no longer. */
ompd_rc_t omprt_thread(const struct process *process, ompd_addr_t address, struct omprt_copy *thread);
/* Return the reference to the thread whose record is at @address. */
struct thread_ref omprt_thread_at(const struct process *process, ompd_addr_t address);
/* Return the offset of a field in its struct. */
static inline ompd_addr_t omprt_offset(const struct process *process, enum layout_entry_number field)
{
	return omprt_of(process)->layout.entries[field].offset;
}

/* omprt/thread.c */
/* The place of a thread. */
enum omprt_whereabouts {
	OMPRT_IDLE,   /* in no team: in its pool, or new to the runtime */
	OMPRT_CALLED, /* in a team, but not started: its record is still that of an earlier region */
	OMPRT_INSIDE,
};

struct omprt_place {
	enum omprt_whereabouts where;
	ompd_addr_t team; /* 0 if idle */
	uint64_t thread_num;
};

/* Copy the thread, and return its place. */
ompd_rc_t omprt_thread_place(const struct process *process, const struct thread_ref *ref, struct omprt_copy *thread,
			     struct omprt_place *ret);
thread_find_fn omprt_thread_find;
thread_id_fn omprt_thread_id;
thread_next_fn omprt_thread_next;
thread_state_fn omprt_thread_state;
thread_region_fn omprt_thread_region;
thread_task_fn omprt_thread_task;
thread_progress_fn omprt_thread_progress;

/* omprt/region.c */
region_enclosing_fn omprt_region_enclosing;
region_thread_fn omprt_region_thread;
region_task_fn omprt_region_task;

/* omprt/task.c */
task_parent_fn omprt_task_generating, omprt_task_scheduling;
task_function_fn omprt_task_function;
task_frame_fn omprt_task_frame;
task_is_implicit_fn omprt_task_is_implicit;

/* omprt/queued.c */
region_queued_fn omprt_region_queued;
task_predecessors_fn omprt_task_predecessors;
/*
 * Return the addresses of all explicit tasks of @region that are not complete, detached tasks
 * included. @team is the region's team. The caller frees the array with cb_free(). incomplete: a
 * limit was reached.
 */
ompd_rc_t omprt_region_tasks(const struct process *process, const struct region_ref *region,
			     const struct omprt_copy *team, ompd_addr_t **tasks, size_t *n);

/* omprt/holder.c */
mutex_owner_fn omprt_mutex_owner;
/* A waiting thread. */
struct omprt_waiting {
	const struct process *process;
	struct omprt_copy thread, team, member;
	struct region_ref region;
	uint64_t number; /* thread number in the team */
	ompd_addr_t wait_id;
};
/* Find the awaited thread of an ordered region, of either kind, or of copyprivate. */
ompd_rc_t omprt_holder(const struct omprt_waiting *w, ompd_word_t state, struct awaited_list *list);

awaited_fn omprt_awaited;
icv_fn omprt_icv;
setting_fn omprt_setting;
tool_data_fn omprt_tool_data;
region_calls_fn omprt_region_calls;

#endif
