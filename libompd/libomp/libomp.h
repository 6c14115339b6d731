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
	int32_t spins_here;    /* 1: queued for a lock now, or a moment ago */
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

/* libomp/copy.c */
/* Set the sizes of the copies, so that one read fetches all known fields. Returns false if one is too large. */
bool libomp_measure(struct libomp *libomp);
/* Return the errors of the read. For a team also stale_handle: the memory cannot be a team. */
ompd_rc_t libomp_thread_read(const struct process *process, ompd_addr_t address, struct libomp_thread *ret);
ompd_rc_t libomp_team_read(const struct process *process, ompd_addr_t address, struct libomp_team *ret);
ompd_rc_t libomp_task_read(const struct process *process, ompd_addr_t address, struct libomp_task *ret);

/* The levels of the regions that @team stands for are @first to team->level. */
int32_t libomp_team_first_level(const struct libomp_team *team);
/* Return the address of the record of thread @number. 0: the thread is being created. */
ompd_rc_t libomp_team_member(const struct process *process, const struct libomp_team *team, int32_t number,
			     ompd_addr_t *ret);
/* Copy the task that @thread executes, if it waits in taskwait or at the end of a taskgroup. unavailable: it does not.
 */
ompd_rc_t libomp_taskwait(const struct process *process, const struct libomp_thread *thread, struct libomp_task *ret);

static inline struct thread_ref libomp_thread_ref(const struct libomp_thread *thread)
{
	return (struct thread_ref){.thread = thread->address, .thread_pointer = thread->pointer};
}

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
thread_find_fn libomp_thread_find;
thread_id_fn libomp_thread_id;
thread_next_fn libomp_thread_next;
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

/* libomp/mutex.c */
/* Return the record of the lock that @thread is queued for, and whether it is that of a critical construct. */
ompd_rc_t libomp_queue_of(const struct process *process, const struct libomp_thread *thread, ompd_addr_t *lock,
			  bool *is_critical);
mutex_owner_fn libomp_mutex_owner;

/* libomp/team.c */
/* Return the innermost region of @team; @via is a thread in it. */
struct region_ref libomp_region_of(const struct libomp_team *team, ompd_addr_t via);
/* Copy @region's team. stale_handle: the thread that the region was found by has left it. */
ompd_rc_t libomp_region_team(const struct process *process, const struct region_ref *region, struct libomp_team *ret);
thread_region_fn libomp_thread_region;
region_enclosing_fn libomp_region_enclosing;
region_thread_fn libomp_region_thread;

/* libomp/task.c */
thread_task_fn libomp_thread_task;
region_task_fn libomp_region_task;
task_parent_fn libomp_task_generating, libomp_task_scheduling;
task_function_fn libomp_task_function;
task_frame_fn libomp_task_frame;
task_is_implicit_fn libomp_task_is_implicit;

/* libomp/queued.c */
region_queued_fn libomp_region_queued;
task_predecessors_fn libomp_task_predecessors;

/* libomp/awaited.c */
awaited_fn libomp_awaited;
awaited_as_fn libomp_awaited_as;

/* libomp/ordered.c */
/* Fill @libomp->turns from the layout and the code of the functions that wait for the turn. */
void libomp_ordered_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk);
/*
 * If @thread waits in ordered, return the thread that has the turn. unavailable: @thread is in no
 * ordered loop.
 */
ompd_rc_t libomp_ordered_awaited(const struct process *process, const struct thread_ref *thread,
				 struct awaited_list *list);

/* libomp/state.c, libomp/location.c, libomp/icv.c */
thread_state_fn libomp_thread_state;
thread_progress_fn libomp_thread_progress;
location_fn libomp_location;
icv_fn libomp_icv;
setting_fn libomp_setting;

#endif
