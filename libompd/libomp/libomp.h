/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of libomp's structures: one read of the target each. Shared by the files of libomp/. Their
 * public functions are the members of backend_libomp.
 */
#ifndef OMPDD_LIBOMPD_LIBOMP_H
#define OMPDD_LIBOMPD_LIBOMP_H

#include "code/walk.h"
#include "icv.h"
#include "libomp/layout.h"
#include "process.h"

/* Limit on the nesting depth. */
#define LIBOMP_MAX_DEPTH 4096
/* Limit on the number of threads, in a team or in the process. */
#define LIBOMP_MAX_THREADS (1u << 20)

#define LIBOMP_MAX_SPAN 1024

struct libomp_thread {
	ompd_addr_t address;
	ompd_addr_t pointer; /* the thread pointer; 0: the thread has not started */
	int32_t tid;	     /* thread number in its team */
	int32_t gtid;	     /* its index in the array of threads; -1 if unknown */
	ompd_addr_t team, current_task;
	ompd_addr_t ident;     /* the last encountered construct, if libomp records it; 0 if unknown */
	ompd_addr_t sleep_loc; /* address of the object that it sleeps on; 0: it does not sleep */
	bool in_queue;	       /* queued for a lock now, or a moment ago */
};

struct libomp_team {
	ompd_addr_t address;
	ompd_addr_t parent, fn, threads, implicit_tasks, argv;
	ompd_addr_t ident; /* of the construct that it was created or reused for */
	int32_t master_tid, nproc, level, active_level;
	int32_t serialized; /* number of nested regions that it stands for; 0: one region with several threads */
};

struct libomp_task {
	uint32_t flags;
	ompd_addr_t team, parent, taskgroup;
	ompd_addr_t ident, wait_ident; /* its construct; the construct that it last waited in */
	int32_t waiting;	       /* in taskwait, or at the end of a taskgroup: 1 + gtid of the waiting thread */
	int32_t incomplete;	       /* unfinished children */
};

static inline const struct libomp *libomp_of(const struct process *process)
{
	return process->data;
}

/* libomp/copy.c. Return the errors of the read. For a team also stale_handle: the memory cannot be a team. */
ompd_rc_t libomp_thread_read(const struct process *process, ompd_addr_t address, struct libomp_thread *ret);
ompd_rc_t libomp_team_read(const struct process *process, ompd_addr_t address, struct libomp_team *ret);
ompd_rc_t libomp_task_read(const struct process *process, ompd_addr_t address, struct libomp_task *ret);

/* The levels of the regions that @team stands for are @first to team->level. */
int32_t libomp_team_first_level(const struct libomp_team *team);

/*
 * Return whether the region has ended and its primary thread is returning the team. Only initial
 * threads' teams, which have one thread, have no enclosing team. The region that the thread is in
 * then cannot be determined.
 */
static inline bool libomp_team_is_given_back(const struct libomp_team *team)
{
	return !team->parent && team->nproc > 1;
}

/* libomp/thread.c */
ompd_rc_t libomp_thread_find(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
			     struct thread_ref *ret);
ompd_rc_t libomp_thread_id(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			   ompd_size_t size, void *ret);
ompd_rc_t libomp_thread_next(const struct process *process, const struct thread_ref *previous, struct thread_ref *ret);
/*
 * Copy the thread at @address and its team. unavailable: the thread is in no team now. It waits in
 * the pool, or for its team's next region.
 */
ompd_rc_t libomp_thread_member(const struct process *process, ompd_addr_t address, struct libomp_thread *thread,
			       struct libomp_team *team);

/* Return the array of all threads by gtid. unavailable: the runtime has not been used yet. */
ompd_rc_t libomp_threads(const struct process *process, ompd_addr_t *ret);
/* Copy the thread at index @gtid of @array. unavailable: there is no such thread. */
ompd_rc_t libomp_thread_at(const struct process *process, ompd_addr_t array, uint32_t gtid, struct libomp_thread *ret);

/* libomp/state.c */
ompd_rc_t libomp_thread_state(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
			      ompd_wait_id_t *wait_id);

/* libomp/location.c */
ompd_rc_t libomp_location(const struct process *process, const struct thread_ref *thread,
			  const struct region_ref *region, const struct task_ref *task, struct strbuf *text);

/* libomp/mutex.c */
/* Return the record of the lock that @thread is queued for, and whether it is that of a critical construct. */
ompd_rc_t libomp_queue_of(const struct process *process, const struct libomp_thread *thread, ompd_addr_t *lock,
			  bool *is_critical);
ompd_rc_t libomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind,
			     struct mutex_owner *ret);

/* libomp/team.c */
/* Return the innermost region of @team; @via is a thread in it. */
struct region_ref libomp_region_of(const struct libomp_team *team, ompd_addr_t via);
/* Copy @region's team. stale_handle: the thread that the region was found by has left it. */
ompd_rc_t libomp_region_team(const struct process *process, const struct region_ref *region, struct libomp_team *ret);

ompd_rc_t libomp_thread_region(const struct process *process, const struct thread_ref *thread, struct region_ref *ret);
ompd_rc_t libomp_region_enclosing(const struct process *process, const struct region_ref *region,
				  struct region_ref *ret);
ompd_rc_t libomp_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			       struct thread_ref *ret);

/* libomp/task.c */
ompd_rc_t libomp_thread_task(const struct process *process, const struct thread_ref *thread, struct task_ref *ret);
ompd_rc_t libomp_region_task(const struct process *process, const struct region_ref *region, uint32_t number,
			     struct task_ref *ret);
ompd_rc_t libomp_task_generating(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t libomp_task_scheduling(const struct process *process, const struct task_ref *task, struct task_ref *ret);
ompd_rc_t libomp_task_function(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
ompd_rc_t libomp_task_frame(const struct process *process, const struct task_ref *task, ompd_frame_info_t *exit_frame,
			    ompd_frame_info_t *enter_frame);
ompd_rc_t libomp_task_is_implicit(const struct process *process, const struct task_ref *task, bool *ret);

/* libomp/queued.c */
ompd_rc_t libomp_region_queued(const struct process *process, const struct region_ref *region,
			       struct queued_tasks *ret);
ompd_rc_t libomp_task_predecessors(const struct process *process, const struct task_ref *task, uint32_t *ret);

/* libomp/awaited.c */
ompd_rc_t libomp_awaited(const struct process *process, const struct thread_ref *thread, const struct task_ref *task,
			 struct awaited_list *ret);

ompd_rc_t libomp_awaited_as(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
			    struct awaited_list *ret);

/* libomp/ordered.c */
/* Fill @libomp->turns from the layout and the code of the functions that wait for the turn. */
void libomp_ordered_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk);
/*
 * If @thread waits in ordered, return the thread that has the turn. unavailable: @thread is in no
 * ordered loop.
 */
ompd_rc_t libomp_ordered_awaited(const struct process *process, const struct thread_ref *thread,
				 struct awaited_list *list);

/* libomp/icv.c */
ompd_rc_t libomp_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		     const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);
ompd_rc_t libomp_display_control_vars(const struct process *process, struct strbuf *text);

#endif
