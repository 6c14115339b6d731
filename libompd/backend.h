/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The interface between OMPD's routines and one OpenMP runtime. The files of api/ check arguments
 * and handles, then call one struct backend, which reads the target. References hold target
 * addresses by value and own nothing. A stale reference fails in the next read.
 */
#ifndef OMPDD_LIBOMPD_BACKEND_H
#define OMPDD_LIBOMPD_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

struct ompd_place_t;
struct process;
struct strbuf;

/* A thread that the runtime knows. */
struct thread_ref {
	ompd_addr_t thread; /* address of the runtime's record; it identifies the thread */
	ompd_addr_t thread_pointer;
};

/* A parallel region, or the implicit region of an initial thread (level 0). */
struct region_ref {
	ompd_addr_t team; /* 0 for an implicit region */
	ompd_addr_t pool; /* data that the threads of one root share; 0 if the root has none yet */
	ompd_addr_t root; /* the root thread's record if it is known without a search, else 0 */
	ompd_addr_t via;  /* a thread inside the region or below it, for finding the root; or 0 */
	uint32_t level;
	uint64_t sequence; /* counts the regions that used this team's memory; 0 if the runtime does not count */
};

struct task_ref {
	ompd_addr_t task;  /* the runtime's record; 0 for an initial task without a record */
	ompd_addr_t state; /* the team state that the executing thread has for the task; 0 if unknown */
	uint64_t sequence; /* counts the tasks that used this record; 0 if the runtime does not count */
	struct region_ref region;
};

/*
 * A value of an ICV. @text is set if the ICV is not a number (a list, a schedule, a string). The
 * caller passes NULL for @text if it needs only the number.
 */
struct icv_value {
	int64_t number;
	bool has_number;
	bool incomplete; /* @number is only the first element of a list */
	bool no_text;	 /* the number is right, but the value may have more: there is no text */
	struct strbuf *text;
};

/*
 * Tasks of a region that have not started: at most `max`, and their total number. The caller frees
 * @tasks, also after an error.
 */
struct queued_tasks {
	size_t max;
	struct task_ref *tasks;
	size_t n, total;
};

/* The holder of a lock. `state` is an ompd_mutex_state_t. The references are set if they are known. */
struct mutex_owner {
	ompd_word_t state;
	bool has_thread, has_task;
	struct thread_ref thread;
	struct task_ref task;
};

/*
 * Threads or tasks that a thread or task waits for, at most `max`. The caller frees `items`, also
 * after an error.
 */
struct awaited {
	bool has_thread; /* `thread` is set, else `task` */
	struct thread_ref thread;
	struct task_ref task;
	ompd_word_t progress; /* ompd_progress_t */
};

struct awaited_list {
	size_t max;
	struct awaited *items;
	size_t n, room;
	bool is_complete;
};

/*
 * The number of regions of a function that were started at a level. The caller frees `rows`, also
 * after an error.
 */
struct region_calls {
	struct region_calls_row {
		ompd_addr_t function;
		uint32_t level;
		uint64_t calls;
	} * rows;
	size_t n;
};

enum icv_kind;

struct backend {
	const char *name;
	ompd_icv_id_t last_icv; /* the last row of icv.def that the runtime has */

	/*
	 * Find this runtime in the target, and prove its layout. On success *data is the backend's
	 * immutable data: one block from cb_alloc(). Errors:
	 * - unsupported: the runtime is not in the target;
	 * - unavailable: the runtime is not initialised yet;
	 * - incompatible: the layout cannot be proven (the reasons are printed).
	 */
	ompd_rc_t (*open)(ompd_address_space_context_t *context, void **data);

	/* Return _OPENMP of the runtime, and write its name with version into @text. */
	ompd_rc_t (*omp_version)(const struct process *process, ompd_word_t *ret);
	ompd_rc_t (*omp_version_string)(const struct process *process, struct strbuf *text);

	/* Find a thread by its id. Returns unavailable if the runtime does not know the thread. */
	ompd_rc_t (*thread_find)(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
				 struct thread_ref *ret);
	ompd_rc_t (*thread_id)(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			       ompd_size_t size, void *ret);
	/*
	 * Return the thread after @previous (NULL: the first) in the runtime's own list. Returns
	 * unavailable at its end. NULL: the runtime has no list.
	 */
	ompd_rc_t (*thread_next)(const struct process *process, const struct thread_ref *previous,
				 struct thread_ref *ret);
	ompd_rc_t (*thread_state)(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
				  ompd_wait_id_t *wait_id);
	/*
	 * Return the state of a thread that sleeps until the word at @word changes. Returns
	 * unavailable if the word's purpose is not known. NULL: thread_state returns all states.
	 */
	ompd_rc_t (*thread_state_asleep)(const struct process *process, const struct thread_ref *thread,
					 ompd_addr_t word, ompd_word_t *state);
	ompd_rc_t (*thread_region)(const struct process *process, const struct thread_ref *thread,
				   struct region_ref *ret);
	ompd_rc_t (*thread_task)(const struct process *process, const struct thread_ref *thread, struct task_ref *ret);

	ompd_rc_t (*region_enclosing)(const struct process *process, const struct region_ref *region,
				      struct region_ref *ret);
	ompd_rc_t (*region_thread)(const struct process *process, const struct region_ref *region, uint32_t number,
				   struct thread_ref *ret);
	ompd_rc_t (*region_task)(const struct process *process, const struct region_ref *region, uint32_t number,
				 struct task_ref *ret);

	ompd_rc_t (*task_generating)(const struct process *process, const struct task_ref *task, struct task_ref *ret);
	ompd_rc_t (*task_scheduling)(const struct process *process, const struct task_ref *task, struct task_ref *ret);
	ompd_rc_t (*task_function)(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
	ompd_rc_t (*task_frame)(const struct process *process, const struct task_ref *task,
				ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame);
	/*
	 * Return the tasks that have not started, and a task's unresolved predecessors. incomplete:
	 * a limit was reached. NULL: the runtime's tasks cannot be listed.
	 */
	ompd_rc_t (*region_queued)(const struct process *process, const struct region_ref *region,
				   struct queued_tasks *ret);
	ompd_rc_t (*task_predecessors)(const struct process *process, const struct task_ref *task, uint32_t *ret);
	/*
	 * Return how many threads of the team have arrived at its barrier. NULL: only the thread
	 * states show it.
	 */
	ompd_rc_t (*region_arrived)(const struct process *process, const struct region_ref *region, uint32_t *ret);
	ompd_rc_t (*task_is_implicit)(const struct process *process, const struct task_ref *task, bool *ret);

	/*
	 * Return the value of an ICV. The ICV's scope decides which one of @thread, @region and
	 * @task is set. For the process, none is set.
	 */
	ompd_rc_t (*icv)(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
			 const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);

	/* Append "NAME=VALUE" texts, each ended by '\0'. */
	ompd_rc_t (*display_control_vars)(const struct process *process, struct strbuf *text);

	/* Switch the calls of ompd_bp_* in the target on or off. NULL: the runtime has no such switch. */
	ompd_rc_t (*set_breakpoints)(const struct process *process, bool on);

	/*
	 * Return the holder of the lock at @lock, for a construct of @kind (ompt_mutex_t).
	 * unavailable, unsupported: see ompd-more.h. NULL: the runtime keeps no holders.
	 */
	ompd_rc_t (*mutex_owner)(const struct process *process, ompd_addr_t lock, ompd_word_t kind,
				 struct mutex_owner *ret);

	/*
	 * Return what the given thread or task waits for. unavailable: see ompd-more.h. NULL: the
	 * runtime does not record it.
	 */
	ompd_rc_t (*awaited)(const struct process *process, const struct thread_ref *thread,
			     const struct task_ref *task, struct awaited_list *ret);

	/*
	 * Return what a thread waits for; the tool knows that it is in @state. NULL: thread_state
	 * covers all states.
	 */
	ompd_rc_t (*awaited_as)(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
				struct awaited_list *ret);

	/*
	 * Return what a thread waits for; the tool knows that it waits at @place. NULL: the place
	 * shows nothing.
	 */
	ompd_rc_t (*awaited_at)(const struct process *process, const struct thread_ref *thread,
				const struct ompd_place_t *place, struct awaited_list *ret);

	/*
	 * Print the source location of the construct of the given thread, region or task
	 * (ompd-more.h). NULL: the runtime does not record it.
	 */
	ompd_rc_t (*location)(const struct process *process, const struct thread_ref *thread,
			      const struct region_ref *region, const struct task_ref *task, struct strbuf *text);

	/*
	 * Return the data that an OMPT tool has stored for the given @thread, @region or @task, or
	 * for the process if none is given. unavailable: there is no tool. unsupported: the runtime
	 * has no OMPT.
	 */
	ompd_rc_t (*tool_data)(const struct process *process, const struct thread_ref *thread,
			       const struct region_ref *region, const struct task_ref *task, uint64_t *ret);

	/*
	 * Count the regions that the process has started. incomplete: a limit was reached. NULL:
	 * the runtime does not count.
	 */
	ompd_rc_t (*region_calls)(const struct process *process, struct region_calls *ret);
};

extern const struct backend backend_gomp, backend_libomp, backend_omprt;

#endif
