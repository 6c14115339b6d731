/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libomp's structures as the backend copies them from the target, one read each. Shared by the files of libomp/;
 * their public functions are the members of backend_libomp.
 */
#ifndef OMPDD_LIBOMPD_LIBOMP_H
#define OMPDD_LIBOMPD_LIBOMP_H

#include "code/walk.h"
#include "icv.h"
#include "libomp/layout.h"
#include "process.h"

/* Deepest nesting that is followed. */
#define LIBOMP_MAX_DEPTH 4096
/* Most threads that are believed, of a team or of the process. */
#define LIBOMP_MAX_THREADS (1u << 20)

#define LIBOMP_MAX_SPAN 1024

struct libomp_thread {
	ompd_addr_t address;
	ompd_addr_t pointer; /* the thread pointer; 0: it has not begun */
	int32_t tid;	     /* thread number in its team */
	int32_t gtid;	     /* its place among all threads; -1 unknown */
	ompd_addr_t team, current_task;
	ompd_addr_t ident;     /* of the construct that it met last, as far as libomp notes that; 0 unknown */
	ompd_addr_t sleep_loc; /* what it sleeps for, 0: it does not */
	bool in_queue;	       /* it is queued for a lock, or was a moment ago */
};

struct libomp_team {
	ompd_addr_t address;
	ompd_addr_t parent, fn, threads, implicit_tasks, argv;
	ompd_addr_t ident; /* of the construct that it was made, or used again, for */
	int32_t master_tid, nproc, level, active_level;
	int32_t serialized; /* how many regions, one in the other, it stands for; 0: one with a team of several */
};

struct libomp_task {
	uint32_t flags;
	ompd_addr_t team, parent, taskgroup;
	ompd_addr_t ident, wait_ident; /* of its construct; of the one that it waited in last */
	int32_t waiting;    /* in taskwait, or at the end of a taskgroup: 1 + gtid of the thread that waits */
	int32_t incomplete; /* children */
};

static inline const struct libomp *libomp_of(const struct process *process)
{
	return process->data;
}

/* libomp/copy.c. Errors are the read's; of a team also stale_handle, if what is there cannot be one. */
ompd_rc_t libomp_thread_read(const struct process *process, ompd_addr_t address, struct libomp_thread *ret);
ompd_rc_t libomp_team_read(const struct process *process, ompd_addr_t address, struct libomp_team *ret);
ompd_rc_t libomp_task_read(const struct process *process, ompd_addr_t address, struct libomp_task *ret);

/* The levels of the regions that @team stands for are @first to team->level. */
int32_t libomp_team_first_level(const struct libomp_team *team);

/*
 * Whether its region is over, and its primary thread is just giving it back: only the initial threads' teams, which
 * have one thread, have none around. Which region that thread is in then is not to be had.
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
 * Copy the thread at @address and its team; unavailable if it is in none now: it waits, in the pool or for its team
 * to be used again.
 */
ompd_rc_t libomp_thread_member(const struct process *process, ompd_addr_t address, struct libomp_thread *thread,
			       struct libomp_team *team);

/* The array of all threads by gtid; unavailable if the runtime has not been used yet. */
ompd_rc_t libomp_threads(const struct process *process, ompd_addr_t *ret);
/* The thread that @array has at @gtid; unavailable: none. */
ompd_rc_t libomp_thread_at(const struct process *process, ompd_addr_t array, uint32_t gtid, struct libomp_thread *ret);

/* libomp/state.c */
ompd_rc_t libomp_thread_state(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
			      ompd_wait_id_t *wait_id);

/* libomp/location.c */
ompd_rc_t libomp_location(const struct process *process, const struct thread_ref *thread,
			  const struct region_ref *region, const struct task_ref *task, struct strbuf *text);

/* libomp/mutex.c */
/* In the queue of which lock @thread is: the lock's record, and whether it is that of a critical construct. */
ompd_rc_t libomp_queue_of(const struct process *process, const struct libomp_thread *thread, ompd_addr_t *lock,
			  bool *is_critical);
ompd_rc_t libomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind,
			     struct mutex_owner *ret);

/* libomp/team.c */
/* The innermost region of @team, of which @via is a thread. */
struct region_ref libomp_region_of(const struct libomp_team *team, ompd_addr_t via);
/* Copy @region's team; stale_handle if the thread by which it was met has left it. */
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
/* Fill @libomp->turns, with the layout, by the code of functions that wait for the turn. */
void libomp_ordered_read(ompd_address_space_context_t *context, struct libomp *libomp, struct code_walk *walk);
/* Who has the turn that @thread waits for, if it waits in ordered; unavailable: it is in no ordered loop. */
ompd_rc_t libomp_ordered_awaited(const struct process *process, const struct thread_ref *thread,
				 struct awaited_list *list);

/* libomp/icv.c */
ompd_rc_t libomp_icv(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
		     const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);
ompd_rc_t libomp_display_control_vars(const struct process *process, struct strbuf *text);

#endif
