/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The seam between OMPD's routines and one OpenMP runtime. The files of api/ check arguments and
 * handles and call one struct backend; the backend reads the target. References are plain values
 * of target addresses: they own nothing, and a stale one fails in the next read.
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
	ompd_addr_t thread; /* the runtime's record of it; its identity */
	ompd_addr_t thread_pointer;
};

/* A parallel region, or the implicit region of an initial thread (level 0). */
struct region_ref {
	ompd_addr_t team; /* the team; 0 for an implicit region */
	ompd_addr_t pool; /* what the threads of one root share; 0 if the root has none yet */
	ompd_addr_t root; /* record of the root thread if it is known for free, else 0 */
	ompd_addr_t via;  /* a thread inside the region or below it, to find the root by; or 0 */
	uint32_t level;
	uint64_t sequence; /* which of the regions that used this team's memory; 0 where no one counts */
};

struct task_ref {
	ompd_addr_t task;  /* the runtime's record; 0 for an initial task that has none yet */
	ompd_addr_t state; /* the team state that the executing thread has for it; 0 unknown */
	uint64_t sequence; /* which of the tasks that used this record; 0 where no one counts */
	struct region_ref region;
};

/* A value of an ICV: @text is set when the ICV is no number (a list, a schedule, a string); NULL: the caller wants
 * none. */
struct icv_value {
	int64_t number;
	bool has_number;
	bool incomplete; /* @number is only the first element of a list */
	bool no_text;	 /* the number is right, but there may be more to it */
	struct strbuf *text;
};

/* Tasks of a region that have not begun: at most `max`, and how many there are. @tasks is the caller's, to free; also
 * after an error. */
struct queued_tasks {
	size_t max;
	struct task_ref *tasks;
	size_t n, total;
};

/* Who holds a lock: `state` is an ompd_mutex_state_t, the references are there as far as they are known. */
struct mutex_owner {
	ompd_word_t state;
	bool has_thread, has_task;
	struct thread_ref thread;
	struct task_ref task;
};

/* Whom somebody waits for: a thread or a task; at most `max` of them. `items` is the caller's, to free; also after an
 * error. */
struct awaited {
	bool has_thread; /* else it is the task */
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

/* How often regions of a function were begun at a level. `rows` is the caller's, to free; also after an error. */
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
	ompd_icv_id_t last_icv; /* of those in icv.def that it knows */

	/*
	 * Is this runtime in the target, and can it be read? unsupported: not there;
	 * unavailable: there, but not ready yet; incompatible: there, but its layout cannot be
	 * proven (the reasons are printed).
	 * On success *data is the backend's immutable knowledge, from cb_alloc, one block.
	 */
	ompd_rc_t (*open)(ompd_address_space_context_t *context, void **data);

	/* _OPENMP of the runtime, and its name with version (written into @text). */
	ompd_rc_t (*omp_version)(const struct process *process, ompd_word_t *ret);
	ompd_rc_t (*omp_version_string)(const struct process *process, struct strbuf *text);

	/* unavailable if the thread has not met the runtime. */
	ompd_rc_t (*thread_find)(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
				 struct thread_ref *ret);
	ompd_rc_t (*thread_id)(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			       ompd_size_t size, void *ret);
	/* The thread behind @previous (NULL: the first) of the runtime's own list; unavailable at its end. NULL: no
	 * list. */
	ompd_rc_t (*thread_next)(const struct process *process, const struct thread_ref *previous,
				 struct thread_ref *ret);
	ompd_rc_t (*thread_state)(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
				  ompd_wait_id_t *wait_id);
	/*
	 * The state of a thread that sleeps until the word at @word changes; unavailable: it is none whose purpose is
	 * known. NULL: the runtime says all states itself.
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
	/* These two are NULL where the runtime's tasks cannot be listed. incomplete: there are more than were looked
	 * at. */
	ompd_rc_t (*region_queued)(const struct process *process, const struct region_ref *region,
				   struct queued_tasks *ret);
	ompd_rc_t (*task_predecessors)(const struct process *process, const struct task_ref *task, uint32_t *ret);
	/* How many of its team have come to the team's barrier. NULL: the states of its threads say so. */
	ompd_rc_t (*region_arrived)(const struct process *process, const struct region_ref *region, uint32_t *ret);
	ompd_rc_t (*task_is_implicit)(const struct process *process, const struct task_ref *task, bool *ret);

	/* Exactly one of @thread, @region, @task is set, by the ICV's scope; none for a process. */
	ompd_rc_t (*icv)(const struct process *process, enum icv_kind icv, const struct thread_ref *thread,
			 const struct region_ref *region, const struct task_ref *task, struct icv_value *ret);

	/* "NAME=VALUE" lines, each ended by '\0'. */
	ompd_rc_t (*display_control_vars)(const struct process *process, struct strbuf *text);

	/* Write whether ompd_bp_* are called. NULL: the runtime has no such switch. */
	ompd_rc_t (*set_breakpoints)(const struct process *process, bool on);

	/* Of the lock at @lock, for a construct of @kind (ompt_mutex_t); unavailable, unsupported: ompd-more.h. NULL:
	 * of none. */
	ompd_rc_t (*mutex_owner)(const struct process *process, ompd_addr_t lock, ompd_word_t kind,
				 struct mutex_owner *ret);

	/* Of the one that is set; unavailable: ompd-more.h. NULL: the runtime says nothing of it. */
	ompd_rc_t (*awaited)(const struct process *process, const struct thread_ref *thread,
			     const struct task_ref *task, struct awaited_list *ret);

	/* Of a thread that is in @state, as the tool knows. NULL: thread_state says all. */
	ompd_rc_t (*awaited_as)(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
				struct awaited_list *ret);

	/* Of a thread that waits at @place, as the tool knows. NULL: nothing follows from that. */
	ompd_rc_t (*awaited_at)(const struct process *process, const struct thread_ref *thread,
				const struct ompd_place_t *place, struct awaited_list *ret);

	/* Where the construct of the one that is set is, into @text; ompd-more.h. NULL: the runtime does not note that.
	 */
	ompd_rc_t (*location)(const struct process *process, const struct thread_ref *thread,
			      const struct region_ref *region, const struct task_ref *task, struct strbuf *text);

	/*
	 * What an OMPT tool has stored for the one of @thread, @region, @task that is set; for none, its own word.
	 * unavailable: there is no tool. unsupported: the runtime has no OMPT.
	 */
	ompd_rc_t (*tool_data)(const struct process *process, const struct thread_ref *thread,
			       const struct region_ref *region, const struct task_ref *task, uint64_t *ret);

	/* All regions that the process has begun; incomplete: there are more than are looked at. NULL: nobody counts.
	 */
	ompd_rc_t (*region_calls)(const struct process *process, struct region_calls *ret);
};

extern const struct backend backend_gomp, backend_libomp, backend_omprt;

#endif
