/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of libgomp's structures: one read of the target each. Shared by the files of gomp/. Their
 * public functions are the members of backend_gomp.
 */
#ifndef OMPDD_LIBOMPD_GOMP_H
#define OMPDD_LIBOMPD_GOMP_H

#include "gomp/layout.h"
#include "icv.h"
#include "process.h"

/* Limit on the nesting depth; libgomp itself allows 255 active levels. */
#define GOMP_MAX_DEPTH 4096
/* Limit on the number of threads in a team. */
#define GOMP_MAX_THREADS    (1u << 20)
#define GOMP_MAX_TASKGROUPS 256

#define GOMP_MAX_SPAN 256

/* struct gomp_team_state, of a thread or in team->prev_ts. */
struct gomp_ts {
	ompd_addr_t team;
	uint32_t team_id;
	uint32_t level;
	uint32_t active_level;
};

struct gomp_thread {
	struct gomp_ts ts;
	ompd_addr_t task;
	ompd_addr_t pool; /* 0 if unknown */
	bool has_pool;	  /* the layout has the pool's offset */
	bool touched;	  /* at least one byte is not zero */
};

struct gomp_team {
	uint32_t nthreads;
	struct gomp_ts prev_ts;
	ompd_addr_t ordered_release;
	bool has_prev_ts;
	bool has_releases;
};

struct gomp_task {
	ompd_addr_t parent;
	ompd_addr_t taskgroup;
	ompd_addr_t taskwait;
	ompd_addr_t fn;
	uint32_t kind;
	bool final;
};

static inline const struct gomp *gomp_of(const struct process *process)
{
	return process->data;
}

/* gomp/copy.c: copy one structure; returns the errors of the read. */
ompd_rc_t gomp_thread_read(const struct process *process, ompd_addr_t address, struct gomp_thread *ret);
ompd_rc_t gomp_team_read(const struct process *process, ompd_addr_t address, struct gomp_team *ret);
ompd_rc_t gomp_task_read(const struct process *process, ompd_addr_t address, struct gomp_task *ret);
/* Copy the thread with the thread pointer @tp. bad_input: @tp is not a thread pointer. */
ompd_rc_t gomp_thread_read_by_pointer(const struct process *process, ompd_addr_t tp, struct gomp_thread *ret);
/* Create a reference to the thread whose record is at @address, and check the record. */
ompd_rc_t gomp_thread_ref(const struct process *process, ompd_addr_t address, struct thread_ref *ret);
/*
 * Replace @ts, which has a team, by the state that the team's primary thread has outside the team.
 * unavailable: the teams are not a chain.
 */
ompd_rc_t gomp_ts_leave(const struct process *process, struct gomp_ts *ts);
/* Return the team state around @ts on @level, or @ts itself if it is not deeper. */
ompd_rc_t gomp_ts_on_level(const struct process *process, const struct gomp_ts *ts, uint32_t level,
			   struct gomp_ts *ret);

/* gomp/root.c */
/* Return the root thread of the pool at @pool, or 0 if it has not started threads at its first level. */
ompd_rc_t gomp_pool_root(const struct process *process, ompd_addr_t pool, ompd_addr_t *ret);
/*
 * Remember the thread at @address if it is a root whose pool does not name it. Only the root's own
 * record leads to it.
 */
void gomp_root_remember(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread);
/* Return the record of the root thread of @region. unavailable: nothing leads to it. */
ompd_rc_t gomp_region_root(const struct process *process, const struct region_ref *region, ompd_addr_t *ret);

/* gomp/team.c */
/*
 * Return the region of @ts, a team state in the record @thread at @record: the team's region, or the
 * implicit region of a root or of a target region. @via: the thread.
 */
void gomp_region_of(const struct process *process, const struct gomp_ts *ts, ompd_addr_t via, ompd_addr_t record,
		    const struct gomp_thread *thread, struct region_ref *ret);
/* Return the record of thread @number. The team refers to its semaphore. */
ompd_rc_t gomp_team_member(const struct process *process, const struct gomp_team *team, uint32_t number,
			   ompd_addr_t *ret);
/*
 * Return the record of thread 0 of @team, which is @region's. It is a thread of the enclosing region,
 * and may also be thread 0 there.
 */
ompd_rc_t gomp_team_primary(const struct process *process, const struct region_ref *region,
			    const struct gomp_team *team, ompd_addr_t *ret);
/*
 * Return whether the primary thread of @region, which must have a team, has continued after it.
 * Then the region has ended for all threads.
 */
ompd_rc_t gomp_region_is_left(const struct process *process, const struct region_ref *region, bool *ret);

/* gomp/host_target.c */
target_frame_fn gomp_target_frame;

/* gomp/saved_record.c */
/* Return the data of the backend. Its target regions are those of this view; outside of a view it has none. */
struct gomp *gomp_current(const struct process *process);
/* Copy the saved record with the id @record. Returns false if there is no such record. */
bool gomp_saved_read(const struct process *process, ompd_addr_t record, struct gomp_thread *ret);
/* Return whether the thread executes a target region on the host. Known only within a view. */
bool gomp_has_host_target(const struct process *process, ompd_addr_t thread);
/*
 * Return the id of the saved record around @record, which is the thread's own record at @thread or a
 * saved one; 0 without one. The id also identifies the region of the target construct: it is
 * region_ref.team there, with level 0.
 */
ompd_addr_t gomp_saved_record(const struct process *process, ompd_addr_t thread, ompd_addr_t record);
/* Return the thread of a saved record. stale_handle: the view has ended. */
ompd_rc_t gomp_saved_owner(const struct process *process, ompd_addr_t saved, ompd_addr_t *ret);
/*
 * Return the record of @thread, its own or a saved one, with a team state of @region. stale_handle: there is
 * none.
 */
ompd_rc_t gomp_record_of_region(const struct process *process, ompd_addr_t thread, const struct region_ref *region,
				ompd_addr_t *record_ret);

/* gomp/thread.c */
thread_find_fn gomp_thread_find;
thread_use_fn gomp_thread_use;
/* Return the thread pointer of the thread with this id. */
ompd_rc_t gomp_thread_pointer_of(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
				 ompd_addr_t *ret);
thread_id_fn gomp_thread_id;
/* Return whether the thread is in ts.team now. Otherwise it waits in its pool's dock with a stale team. */
ompd_rc_t gomp_thread_is_member(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread,
				bool *ret);
/* Copy the thread. unavailable: it is not in ts.team now. */
ompd_rc_t gomp_thread_read_member(const struct process *process, ompd_addr_t address, struct gomp_thread *ret);
/*
 * Return stale_handle if the thread that @region was found by has left it: the region has ended, or
 * is about to. This does not detect that another region reuses the team's memory, if the same
 * thread is in that region.
 */
ompd_rc_t gomp_region_check(const struct process *process, const struct region_ref *region);
/*
 * Copy the thread and its team, and return the address of the work share that the thread executes.
 * ompd_rc_unavailable: the thread has no work share.
 */
ompd_rc_t gomp_thread_work_share(const struct process *process, const struct thread_ref *thread,
				 struct gomp_thread *thread_ret, struct gomp_team *team_ret, ompd_addr_t *share_ret);

/* gomp/region.c */
thread_region_fn gomp_thread_region;
region_enclosing_fn gomp_region_enclosing;
region_thread_fn gomp_region_thread;
region_arrived_fn gomp_region_arrived;
thread_progress_fn gomp_thread_progress;
/* Copy @region's team and check that it still has the region's level. */
ompd_rc_t gomp_region_team(const struct process *process, const struct region_ref *region, struct gomp_team *ret);

/* gomp/task.c */
thread_task_fn gomp_thread_task;
region_task_fn gomp_region_task;
task_parent_fn gomp_task_generating, gomp_task_scheduling;
task_function_fn gomp_task_function;
task_frame_fn gomp_task_frame;
task_is_implicit_fn gomp_task_is_implicit;
/* Return the address of the team state that the thread of the implicit task @task has for it. */
ompd_rc_t gomp_task_state(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);

/* gomp/state.c */
thread_state_fn gomp_thread_state;
thread_state_asleep_fn gomp_thread_state_asleep;

/* gomp/holder.c */
mutex_owner_fn gomp_mutex_owner;
awaited_as_fn gomp_awaited_as; /* the thread whose turn it is in ordered */
awaited_at_fn gomp_awaited_at; /* the thread whose doacross counter is awaited, with a static schedule */

/* gomp/awaited.c */
awaited_fn gomp_awaited;
task_predecessors_fn gomp_task_predecessors;
task_is_target_fn gomp_task_is_target;

/* gomp/icv.c */
icv_fn gomp_icv;
setting_fn gomp_setting;

#endif
