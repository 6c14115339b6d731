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

/* gomp/thread.c: copy one structure; returns the errors of the read. */
ompd_rc_t gomp_thread_read(const struct process *process, ompd_addr_t address, struct gomp_thread *ret);
/*
 * The same. Returns unavailable if the thread is not in ts.team now: it waits in its pool's dock
 * and has a stale team.
 */
ompd_rc_t gomp_thread_read_member(const struct process *process, ompd_addr_t address, struct gomp_thread *ret);
/*
 * Return stale_handle if the thread that @region was found by has left it: the region has ended, or
 * is about to. This does not detect that another region reuses the team's memory, if the same
 * thread is in that region.
 */
ompd_rc_t gomp_region_check(const struct process *process, const struct region_ref *region);

ompd_rc_t gomp_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			   struct thread_ref *ret);
ompd_rc_t gomp_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			 ompd_size_t size, void *ret);
ompd_rc_t gomp_thread_state(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
			    ompd_wait_id_t *wait_id);
ompd_rc_t gomp_thread_state_asleep(const struct process *process, const struct thread_ref *thread, ompd_addr_t word,
				   ompd_word_t *state);
/* Create a reference to the thread whose record is at @address, and check the record. */
ompd_rc_t gomp_thread_ref(const struct process *process, ompd_addr_t address, struct thread_ref *ret);

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
ompd_rc_t gomp_team_read(const struct process *process, ompd_addr_t address, struct gomp_team *ret);
/* Return the region of a team state: the team's region, or the root's implicit region. */
void gomp_region_of(const struct gomp_ts *ts, ompd_addr_t via, const struct gomp_thread *thread,
		    struct region_ref *ret);
/* Return the team state around @ts on @level, or @ts itself if it is not deeper. */
ompd_rc_t gomp_ts_on_level(const struct process *process, const struct gomp_ts *ts, uint32_t level,
			   struct gomp_ts *ret);
/*
 * Return whether the primary thread of @region, which must have a team, has continued after it.
 * Then the region has ended for all threads.
 */
ompd_rc_t gomp_region_is_left(const struct process *process, const struct region_ref *region, bool *ret);
/* Copy @region's team and check that it still has the region's level. */
ompd_rc_t gomp_region_team(const struct process *process, const struct region_ref *region, struct gomp_team *ret);

/*
 * Copy the thread and its team, and return the address of the work share that the thread executes.
 * ompd_rc_unavailable: the thread has no work share.
 */
ompd_rc_t gomp_thread_work_share(const struct process *process, const struct thread_ref *thread,
				 struct gomp_thread *thread_ret, struct gomp_team *team_ret, ompd_addr_t *share_ret);
ompd_rc_t gomp_thread_region(const struct process *process, const struct thread_ref *thread, struct region_ref *ret);
ompd_rc_t gomp_region_enclosing(const struct process *process, const struct region_ref *region, struct region_ref *ret);
ompd_rc_t gomp_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			     struct thread_ref *ret);

/* gomp/barrier.c */
ompd_rc_t gomp_region_arrived(const struct process *process, const struct region_ref *region, uint32_t *ret);

/* gomp/task.c */
ompd_rc_t gomp_task_read(const struct process *process, ompd_addr_t address, struct gomp_task *ret);
ompd_rc_t gomp_thread_task(const struct process *process, const struct thread_ref *thread, struct task_ref *ret);
ompd_rc_t gomp_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			   struct task_ref *ret);
ompd_rc_t gomp_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t gomp_task_scheduling(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t gomp_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
ompd_rc_t gomp_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret);
/* Return the address of the team state that the thread of the implicit task @task has for it. */
ompd_rc_t gomp_task_state(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
/* If the task at @address waits in taskwait or taskgroup, return the state and its semaphore. */
ompd_rc_t gomp_task_wait(const struct process *process, ompd_addr_t address, ompd_word_t *state,
			 ompd_wait_id_t *wait_id);

/* gomp/mutex.c */
ompd_rc_t gomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret);

/* gomp/awaited.c */
ompd_rc_t gomp_awaited(const struct process *process, const struct thread_ref *thread, const struct task_ref *task,
		       struct awaited_list *ret);
ompd_rc_t gomp_task_predecessors(const struct process *process, const struct task_ref *task, uint32_t *ret);

/* gomp/ordered.c: return the thread whose turn it is in ordered. */
ompd_rc_t gomp_awaited_as(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
			  struct awaited_list *ret);

/* gomp/doacross.c: return the thread whose counter the thread waits for, in a loop with a static schedule. */
ompd_rc_t gomp_awaited_at(const struct process *process, const struct thread_ref *thread,
			  const struct ompd_place_t *place, struct awaited_list *ret);

/* gomp/icv.c, gomp/display.c */
ompd_rc_t gomp_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		   const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);
ompd_rc_t gomp_display_control_vars(const struct process *process, struct strbuf *text);

#endif
