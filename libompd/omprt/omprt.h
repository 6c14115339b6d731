/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime of this project as its backend reads it: structs are copied whole, one read each, and their fields picked
 * by the table that the runtime itself exports. Shared by the files of omprt/; their public functions are the members
 * of backend_omprt.
 */
#ifndef OMPDD_LIBOMPD_OMPRT_H
#define OMPDD_LIBOMPD_OMPRT_H

#include "layout/layout.h"
#include "process.h"

/* Largest part of a struct that is copied; the fields of a debugger lie in front. */
#define OMPRT_MAX_SPAN	  1024
#define OMPRT_MAX_THREADS (1u << 20)

struct omprt {
	struct layout layout;
	uint32_t behind;	       /* how far the thread pointer is behind what pthread_t points at */
	uint32_t span[LAYOUT_ENTRIES]; /* of each struct's number: bytes to copy; 0 for fields */
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

/* Copy the @type (a number of LAYOUT_STRUCT) at @address. */
ompd_rc_t omprt_read(const struct process *process, enum layout_entry_number type, ompd_addr_t address,
		     struct omprt_copy *ret);
/* A field of 1, 2, 4 or 8 bytes, not sign-extended; and what the copy says from now on. */
uint64_t omprt_field(const struct omprt_copy *copy, enum layout_entry_number field);
void omprt_put(struct omprt_copy *copy, enum layout_entry_number field, uint64_t value);

/* The team at @address as a region; stale_handle when it is not in use. */
ompd_rc_t omprt_team(const struct process *process, ompd_addr_t address, struct omprt_copy *team,
		     struct region_ref *ret);
/* The same of the region that @region once was: stale_handle if the memory is another's by now. */
ompd_rc_t omprt_region(const struct process *process, const struct region_ref *region, struct omprt_copy *team);
/* The address of member @number of @team's record. */
ompd_addr_t omprt_member(const struct omprt_copy *team, uint64_t number);
/* The task at @address with its region. */
ompd_rc_t omprt_task(const struct process *process, ompd_addr_t address, struct omprt_copy *task, struct task_ref *ret);
/*
 * The record of the task that @ref once was; stale_handle if its region or itself is over. As long as a member has not
 * begun, its implicit task has no record: then what it will begin with.
 */
ompd_rc_t omprt_task_of(const struct process *process, const struct task_ref *ref, struct omprt_copy *task);
/* The implicit task of member @number. */
struct task_ref omprt_implicit_task(const struct process *process, const struct region_ref *region,
				    const struct omprt_copy *team, uint64_t number);
/* Whether @address is the record of an implicit task of @team, and of which member. */
bool omprt_is_implicit(const struct process *process, const struct omprt_copy *team, ompd_addr_t address,
		       uint64_t *number_ret);
/* Copy the thread. stale_handle when the runtime does not know it (any more). */
ompd_rc_t omprt_thread(const struct process *process, ompd_addr_t address, struct omprt_copy *thread);

/* Where a thread is. */
enum omprt_whereabouts {
	OMPRT_IDLE,   /* in no team: it waits in its pool, or the runtime has just met it */
	OMPRT_CALLED, /* in a team, but has not begun: its record is still of what was before */
	OMPRT_INSIDE,
};

struct omprt_place {
	enum omprt_whereabouts where;
	ompd_addr_t team; /* 0: idle */
	uint64_t thread_num;
};

/* The same, and where it is. */
ompd_rc_t omprt_thread_place(const struct process *process, const struct thread_ref *ref, struct omprt_copy *thread,
			     struct omprt_place *ret);

ompd_rc_t omprt_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			    struct thread_ref *ret);
ompd_rc_t omprt_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			  ompd_size_t size, void *ret);
/* The thread whose record is at @address. */
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
/* place-partition-var of an implicit task, as "{0},{1}". */
ompd_rc_t omprt_place_partition(const struct process *process, const struct task_ref *task, struct icv_value *ret);
ompd_rc_t omprt_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		    const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);
/*
 * All explicit tasks of @region, whose team is @team, that are not complete, as an array of their addresses in memory
 * of cb_alloc(); detached ones are there, too. incomplete: there are more than are looked at.
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
