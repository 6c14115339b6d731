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
enum icv_kind;

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

/* The thread, region or task that a request is about: one is set, or none for the process. */
struct subject {
	const struct thread_ref *thread;
	const struct region_ref *region;
	const struct task_ref *task;
};

/* An ICV as a runtime stores it. The type of the ICV (icv.def) decides which members are used. */
struct icv_raw {
	int64_t number;		/* or the first element of a list, the first place */
	int32_t chunk;		/* of a schedule; 0 or less: none */
	bool has_default_order; /* of a schedule: neither monotonic nor nonmonotonic was requested */
	const char *text;	/* a string or name that is not in the target's memory */

	ompd_addr_t address;   /* of a list, of the places' masks, or of a string */
	uint64_t n;	       /* elements, places in the partition (0: all) or characters (0: up to '\0') */
	uint64_t n_all;	       /* places of the process; 0: threads are not bound */
	uint64_t width;	       /* bytes of an element or mask */
	bool has_mask_address; /* an element of the array of places is the address of a mask */
	bool is_open;	       /* a list may follow that cannot be determined */
};

/*
 * Tasks of a region that have not started: at most `max`, and their total number. The caller frees
 * @tasks, also after an error.
 */
struct queued_tasks {
	size_t max;
	struct task_ref *tasks;
	size_t n, room, total;
};

/* Append a copy of @task, without counting it in `total`. A full list drops it. */
ompd_rc_t queued_add(struct queued_tasks *list, const struct task_ref *task);

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

/* Append a copy of @item, or @thread. A full list drops it and becomes incomplete. */
ompd_rc_t awaited_add(struct awaited_list *list, const struct awaited *item);
ompd_rc_t awaited_add_thread(struct awaited_list *list, struct thread_ref thread);
bool awaited_has_task(const struct awaited_list *list, ompd_addr_t task);

/*
 * The number of regions of a function that were started at a level. The caller frees `rows`, also
 * after an error.
 */
struct region_calls {
	struct region_calls_row {
		ompd_addr_t function;
		uint64_t level;
		uint64_t calls;
	} * rows;
	size_t n;
};

/* The functions of a backend. Each returns its results through the last parameters. */

/*
 * Find this runtime in the target, prove its layout, and fill the zeroed @data (backend.data_size
 * bytes). Errors:
 * - unsupported: the runtime is not in the target;
 * - unavailable: the runtime is not initialised yet;
 * - incompatible: the layout cannot be proven (the reasons are printed).
 */
typedef ompd_rc_t backend_open_fn(ompd_address_space_context_t *context, void *data);

/* Return _OPENMP of the runtime, and write its name with version into @text. */
typedef ompd_rc_t omp_version_fn(const struct process *process, ompd_word_t *ret);
typedef ompd_rc_t omp_version_string_fn(const struct process *process, struct strbuf *text);

/* Find a thread by its id. Returns unavailable if the runtime does not know the thread. */
typedef ompd_rc_t thread_find_fn(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id,
				 struct thread_ref *ret);
/* The runtime's frames that called code of the program, and the content of them and of their registers. */
struct target_frame {
	ompd_addr_t address;
	const uint64_t *words;
	size_t n_words;
	bool is_target; /* the program entered these frames by a target construct */
};

/* The thread executes a target region on the host. The result holds until the view ends (ompd-more.h). */
typedef ompd_rc_t target_frame_fn(const struct process *process, ompd_thread_id_t kind, ompd_size_t size,
				  const void *id, const struct target_frame *frame);
/* The thread is in a construct of the runtime. It is an OpenMP thread until the view ends (ompd-more.h). */
typedef ompd_rc_t thread_use_fn(const struct process *process, ompd_thread_id_t kind, ompd_size_t size, const void *id);
typedef ompd_rc_t thread_id_fn(const struct process *process, const struct thread_ref *thread, ompd_thread_id_t kind,
			       ompd_size_t size, void *ret);
/*
 * Return the thread after @previous (NULL: the first) in the runtime's own list. Returns
 * unavailable at its end.
 */
typedef ompd_rc_t thread_next_fn(const struct process *process, const struct thread_ref *previous,
				 struct thread_ref *ret);
typedef ompd_rc_t thread_state_fn(const struct process *process, const struct thread_ref *thread, ompd_word_t *state,
				  ompd_wait_id_t *wait_id);
/*
 * Return the state of a thread that sleeps until the word at @word changes. Returns unavailable if
 * the word's purpose is not known.
 */
typedef ompd_rc_t thread_state_asleep_fn(const struct process *process, const struct thread_ref *thread,
					 ompd_addr_t word, ompd_word_t *state);
typedef ompd_rc_t thread_region_fn(const struct process *process, const struct thread_ref *thread,
				   struct region_ref *ret);
typedef ompd_rc_t thread_task_fn(const struct process *process, const struct thread_ref *thread, struct task_ref *ret);

/* Return a number that changes when the thread passes a barrier or starts another construct (ompd-more.h). */
typedef ompd_rc_t thread_progress_fn(const struct process *process, const struct thread_ref *thread, uint64_t *ret);

/* Add @value to the sum of such a number. */
static inline uint64_t progress_add(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

typedef ompd_rc_t region_enclosing_fn(const struct process *process, const struct region_ref *region,
				      struct region_ref *ret);
/* Return thread @number of the region's team, or its implicit task. */
typedef ompd_rc_t region_thread_fn(const struct process *process, const struct region_ref *region, uint32_t number,
				   struct thread_ref *ret);
typedef ompd_rc_t region_task_fn(const struct process *process, const struct region_ref *region, uint32_t number,
				 struct task_ref *ret);
/* Return how many threads of the team have arrived at its barrier. */
typedef ompd_rc_t region_arrived_fn(const struct process *process, const struct region_ref *region, uint32_t *ret);

/* Return the generating or the scheduling task. */
typedef ompd_rc_t task_parent_fn(const struct process *process, const struct task_ref *task, struct task_ref *ret);
typedef ompd_rc_t task_function_fn(const struct process *process, const struct task_ref *task, ompd_addr_t *ret);
typedef ompd_rc_t task_frame_fn(const struct process *process, const struct task_ref *task,
				ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame);
typedef ompd_rc_t task_is_implicit_fn(const struct process *process, const struct task_ref *task, bool *ret);
/* Return the tasks that have not started. incomplete: a limit was reached. */
typedef ompd_rc_t region_queued_fn(const struct process *process, const struct region_ref *region,
				   struct queued_tasks *ret);
/* Return the number of a task's unresolved predecessors. */
typedef ompd_rc_t task_predecessors_fn(const struct process *process, const struct task_ref *task, uint32_t *ret);
/* Return whether a task that has not started is a target task. */
typedef ompd_rc_t task_is_target_fn(const struct process *process, const struct task_ref *task, bool *ret);

/* Read the ICV of @subject, which has the handle of the ICV's scope. Its type is neither implicit nor explicit. */
typedef ompd_rc_t icv_fn(const struct process *process, enum icv_kind icv, const struct subject *subject,
			 struct icv_raw *ret);

/*
 * Read setting @number, counted from 0: a value that users control and that is not an ICV. bad_input: there are no
 * more settings. unavailable: it cannot be determined.
 */
struct setting;
typedef ompd_rc_t setting_fn(const struct process *process, unsigned number, struct setting *ret);

/* Switch the calls of ompd_bp_* in the target on or off. */
typedef ompd_rc_t set_breakpoints_fn(const struct process *process, bool on);

/*
 * Return the holder of the lock at @lock, for a construct of @kind (ompt_mutex_t). unavailable,
 * unsupported: see ompd-more.h.
 */
typedef ompd_rc_t mutex_owner_fn(const struct process *process, ompd_addr_t lock, ompd_word_t kind,
				 struct mutex_owner *ret);

/* Return what the thread or task waits for. unavailable: see ompd-more.h. */
typedef ompd_rc_t awaited_fn(const struct process *process, const struct subject *subject, struct awaited_list *ret);
/* The same for a thread; the tool knows that it is in @state. */
typedef ompd_rc_t awaited_as_fn(const struct process *process, const struct thread_ref *thread, ompd_word_t state,
				struct awaited_list *ret);
/* The same for a thread; the tool knows that it waits at @place. */
typedef ompd_rc_t awaited_at_fn(const struct process *process, const struct thread_ref *thread,
				const struct ompd_place_t *place, struct awaited_list *ret);

/* Print the source location of the construct of @subject (ompd-more.h). */
typedef ompd_rc_t location_fn(const struct process *process, const struct subject *subject, struct strbuf *text);

/* Return the data that an OMPT tool has stored for @subject. unavailable: there is no tool. */
typedef ompd_rc_t tool_data_fn(const struct process *process, const struct subject *subject, uint64_t *ret);

/* Count the regions that the process has started. incomplete: a limit was reached. */
typedef ompd_rc_t region_calls_fn(const struct process *process, struct region_calls *ret);

/* A NULL function: the runtime does not record or show this. */
struct backend {
	const char *name;
	ompd_icv_id_t last_icv; /* the last row of icv.def that the runtime has */
	size_t data_size;
	backend_open_fn *open;
	omp_version_fn *omp_version;
	omp_version_string_fn *omp_version_string;
	thread_find_fn *thread_find;
	thread_id_fn *thread_id;
	thread_next_fn *thread_next; /* may be NULL */
	thread_state_fn *thread_state;
	thread_state_asleep_fn *thread_state_asleep; /* may be NULL: thread_state returns all states */
	thread_region_fn *thread_region;
	thread_task_fn *thread_task;
	region_enclosing_fn *region_enclosing;
	region_thread_fn *region_thread;
	region_task_fn *region_task;
	task_parent_fn *task_generating, *task_scheduling;
	task_function_fn *task_function;
	task_frame_fn *task_frame;
	task_is_implicit_fn *task_is_implicit;
	icv_fn *icv;
	/* The others may be NULL. */
	setting_fn *setting;
	thread_progress_fn *thread_progress;
	region_arrived_fn *region_arrived;
	region_queued_fn *region_queued;
	task_predecessors_fn *task_predecessors;
	task_is_target_fn *task_is_target; /* NULL: the runtime does not show it */
	set_breakpoints_fn *set_breakpoints;
	mutex_owner_fn *mutex_owner;
	awaited_fn *awaited;
	awaited_as_fn *awaited_as; /* NULL: thread_state covers all states */
	awaited_at_fn *awaited_at;
	location_fn *location;
	tool_data_fn *tool_data;
	region_calls_fn *region_calls;
	target_frame_fn *target_frame; /* NULL: the runtime keeps the thread's record */
	thread_use_fn *thread_use;     /* NULL: all OpenMP threads have a record */
};

extern const struct backend backend_gomp, backend_libomp, backend_omprt;

#endif
