/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of our runtime's structs: one read of the target each. The table that the runtime exports
 * has the offsets of the fields. Shared by the files of omprt/. Their public functions are the
 * members of backend_omprt.
 */
#ifndef OMPDD_LIBOMPD_OMPRT_H
#define OMPDD_LIBOMPD_OMPRT_H

#include "layout/layout.h"
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

ompd_rc_t omprt_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			    struct thread_ref *ret);
ompd_rc_t omprt_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			  ompd_size_t size, void *ret);
/* Return the reference to the thread whose record is at @address. */
struct thread_ref omprt_thread_at(const struct process *process, ompd_addr_t address);
ompd_rc_t omprt_thread_next(const struct process *process, const struct thread_ref *previous, struct thread_ref *ret);
ompd_rc_t omprt_thread_state(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
			     ompd_wait_id_t *wait_id);
ompd_rc_t omprt_thread_region(const struct process *process, const struct thread_ref *thread, struct region_ref *ret);
ompd_rc_t omprt_thread_task(const struct process *process, const struct thread_ref *thread, struct task_ref *ret);
ompd_rc_t omprt_region_enclosing(const struct process *process, const struct region_ref *region,
				 struct region_ref *ret);
ompd_rc_t omprt_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			      struct thread_ref *ret);
ompd_rc_t omprt_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			    struct task_ref *ret);
ompd_rc_t omprt_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t omprt_task_scheduling(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t omprt_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
ompd_rc_t omprt_task_frame(const struct process *process, const struct task_ref *task, ompd_frame_info_t *exit_frame,
			   ompd_frame_info_t *enter_frame);
ompd_rc_t omprt_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret);
ompd_rc_t omprt_region_queued(const struct process *process, const struct region_ref *region, struct queued_tasks *ret);
ompd_rc_t omprt_task_predecessors(const struct process *process, const struct task_ref *task, uint32_t *ret);
/* Set place-partition-var of an implicit task, as "{0},{1}". */
ompd_rc_t omprt_place_partition(const struct process *process, const struct task_ref *task, struct icv_value *ret);
ompd_rc_t omprt_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		    const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);
/*
 * Return the addresses of all explicit tasks of @region that are not complete, detached tasks
 * included. @team is the region's team. The caller frees the array with cb_free(). incomplete: a
 * limit was reached.
 */
ompd_rc_t omprt_region_tasks(const struct process *process, const struct region_ref *region,
			     const struct omprt_copy *team, ompd_addr_t **tasks, size_t *n);
ompd_rc_t omprt_awaited(const struct process *process, const struct thread_ref *thread, const struct task_ref *task,
			struct awaited_list *ret);
ompd_rc_t omprt_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret);
ompd_rc_t omprt_tool_data(const struct process *process, const struct thread_ref *thread,
			  const struct region_ref *region, const struct task_ref *task, uint64_t *ret);
ompd_rc_t omprt_region_calls(const struct process *process, struct region_calls *ret);

#endif
