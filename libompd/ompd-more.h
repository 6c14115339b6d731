/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Extensions of OMPD for facts that OpenMP 5.2 has no routine for:
 * - tasks that wait to be executed, and threads that have arrived at a barrier;
 * - what a sleeping thread waits for, and which threads or tasks block a thread or task;
 * - the holder of a lock;
 * - target regions that the host executes;
 * - how often regions were started, and the source location of a construct;
 * - how long the target stays unchanged, and its processor.
 * No other library has these routines: a tool looks them up by name. Installed beside omp-tools.h.
 */
#ifndef OMPDD_LIBOMPD_OMPD_MORE_H
#define OMPDD_LIBOMPD_OMPD_MORE_H

#include <stdint.h>

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set the processor of all targets to the ELF machine number @elf_machine (EM_…). The library reads
 * the target's code to find the data of a stripped runtime. Needed for a core of another processor.
 * Call it before ompd_process_initialize(). The default is the processor of this machine.
 * ompd_rc_unsupported: the library does not know the processor.
 */
OMPD_API ompd_rc_t ompd_use_processor(ompd_word_t elf_machine);

/*
 * Return the deferred explicit tasks bound to the region that have not started. *@task_handles is
 * an array of at most @max_handles handles in the tool's memory (alloc_memory). It is NULL without
 * tasks. The tool releases each handle with ompd_rel_task_handle().
 *
 * *@num_queued is the total number of tasks: one handle may stand for several tasks of a taskloop.
 * Ready tasks come first, then tasks that wait for others. A task is not found if it waits only for
 * the event of a detached task whose block has ended.
 *
 * ompd_rc_unsupported: the runtime does not show its tasks.
 * ompd_rc_incomplete: the library's limit was reached, some tasks cannot be found, or the target's
 * lists are damaged. The tasks that were found are returned.
 */
OMPD_API ompd_rc_t ompd_get_queued_tasks(ompd_parallel_handle_t *parallel_handle, ompd_word_t max_handles,
					 ompd_task_handle_t ***task_handles, ompd_word_t *num_handles,
					 ompd_word_t *num_queued);

/*
 * Return how many unfinished tasks the task still waits for because of dependences. 0: it is ready,
 * or has started.
 */
OMPD_API ompd_rc_t ompd_get_task_predecessors(ompd_task_handle_t *task_handle, ompd_word_t *num_predecessors);

/*
 * Return whether the task, which has not started, is a target task: the runtime itself created it for a construct with
 * nowait, and no function of the program is its code. 0: it is another task, or has started.
 * ompd_rc_unsupported: the runtime does not show it.
 */
OMPD_API ompd_rc_t ompd_is_target_task(ompd_task_handle_t *task_handle, ompd_word_t *is_target);

/*
 * Return how many threads of the region's team have arrived at its barrier, of any kind, and have
 * not left it.
 * ompd_rc_unavailable: the number cannot be determined now, or the region is that of an initial
 * task.
 * ompd_rc_unsupported: the runtime does not count them; only the states of the team's threads show
 * it.
 */
OMPD_API ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel_handle, ompd_word_t *num_arrived);

/*
 * Return a number that changes when the thread goes on in OpenMP: it passes a barrier, or it starts a region, a
 * worksharing construct, a chunk of a loop or a task. Two equal numbers prove nothing: the thread may work within one
 * of them. The numbers have no order.
 * ompd_rc_unsupported: the runtime does not show it.
 */
OMPD_API ompd_rc_t ompd_get_thread_progress(ompd_thread_handle_t *thread_handle, uint64_t *progress);

/*
 * Start or end a view of a process. The tool promises that until ompd_end_view() the process's
 * memory does not change, or that the first value read may be used. So the library reads each value
 * once. Without a view, each routine reads all that it needs, because the target may have run.
 * There is one view at a time: a new view ends that of another process. Starting a view again
 * clears the cache.
 */
OMPD_API ompd_rc_t ompd_begin_view(ompd_address_space_handle_t *handle);
OMPD_API ompd_rc_t ompd_end_view(ompd_address_space_handle_t *handle);

/*
 * Report that frames of the runtime on the thread's stack, the innermost at @frame, called code of the
 * program. @words has the content of these frames and of the registers that functions preserve. A
 * runtime may clear a thread's record while the host executes a target region, and keep a copy there.
 * If memory proves the copy, the other routines use it until the view ends. Call it within a view,
 * before any other request about threads. @is_target: the program entered these frames by a target
 * construct.
 * ompd_rc_unavailable: there is no view, or no proven copy.
 * ompd_rc_unsupported: the runtime does not clear records.
 */
OMPD_API ompd_rc_t ompd_use_target_frame(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
					 ompd_size_t sizeof_thread_id, const void *thread_id, ompd_addr_t frame,
					 const uint64_t *words, ompd_word_t num_words, ompd_word_t is_target);

/*
 * Report that the thread is in a construct of the runtime. Until the view ends it is an OpenMP thread,
 * even if the runtime has not written to its record yet. Call it as ompd_use_target_frame().
 * ompd_rc_unavailable: there is no view.
 * ompd_rc_unsupported: all OpenMP threads of this runtime have a record.
 */
OMPD_API ompd_rc_t ompd_use_thread(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				   ompd_size_t sizeof_thread_id, const void *thread_id);

/*
 * Return the state of a thread that sleeps in the operating system until the word at @word changes
 * (a futex). The tool knows that it sleeps. The runtime's memory shows the purpose of the word, but
 * not always which threads sleep on it.
 * ompd_rc_unavailable: the purpose of the word is unknown.
 * ompd_rc_unsupported: ompd_get_state() already returns all states of this runtime.
 */
OMPD_API ompd_rc_t ompd_get_state_asleep(ompd_thread_handle_t *thread_handle, const ompd_address_t *word,
					 ompd_word_t *state);

/* The state of a lock in ompd_get_mutex_owner(). */
typedef enum ompd_mutex_state_t {
	ompd_mutex_free = 0,	/* no holder: a thread that waits for it is about to continue */
	ompd_mutex_held = 1,	/* held by the given thread or task, or both */
	ompd_mutex_orphaned = 2 /* held by a thread that has ended or that a fork removed */
} ompd_mutex_state_t;

/*
 * Return the holder of the lock of a lock, critical or atomic construct. @wait_id is the wait id
 * that ompd_get_state() returns for a waiting thread. @kind is an ompt_mutex_t: ompt_mutex_lock,
 * _nest_lock, _critical or _atomic. A runtime may record the holder only for some kinds.
 *
 * With ompd_mutex_held, *@thread_handle, *@task_handle or both are handles that the tool releases.
 * The other values are NULL. A lock belongs to a task, but many runtimes know only its thread.
 *
 * ompd_rc_unavailable: the lock is held by an unknown holder, or there is no lock at @wait_id.
 * ompd_rc_unsupported: the runtime records no holders of this kind.
 */
OMPD_API ompd_rc_t ompd_get_mutex_owner(ompd_address_space_handle_t *handle, ompd_wait_id_t wait_id, ompd_word_t kind,
					ompd_word_t *state, ompd_thread_handle_t **thread_handle,
					ompd_task_handle_t **task_handle);

/* The progress of a task that a thread or task waits for. */
typedef enum ompd_progress_t {
	ompd_progress_thread = 0,    /* a thread, not a task */
	ompd_progress_ready = 1,     /* not started, not blocked */
	ompd_progress_dependent = 2, /* not started, waits for other tasks */
	ompd_progress_begun = 3,
	ompd_progress_detached = 4, /* its block has ended, its event is not fulfilled */
	ompd_progress_offloaded = 5 /* a target task: a device executes its region */
} ompd_progress_t;

typedef struct ompd_awaited_t {
	ompd_thread_handle_t *thread_handle; /* this handle, */
	ompd_task_handle_t *task_handle;     /* or this handle */
	ompd_word_t progress;		     /* ompd_progress_t */
} ompd_awaited_t;

/*
 * Return the threads or tasks that a thread or a task waits for. One of @thread_handle and
 * @task_handle is NULL. A thread waits:
 * - in taskwait and taskgroup, for the tasks that are not complete;
 * - in ordered, for the thread that executes the current iteration;
 * - at the end of a single with copyprivate, for the thread that executes it.
 * A task that has not started waits for other tasks because of dependences.
 *
 * *@awaited is an array of at most @max_awaited elements in the tool's memory. It is NULL if it is
 * empty. The tool releases its handles. *@is_complete is 0 if there are more, or if a thread or
 * task cannot be identified.
 *
 * ompd_rc_unavailable: there is no such wait, or it cannot be determined.
 * ompd_rc_unsupported: the runtime does not record it.
 */
OMPD_API ompd_rc_t ompd_get_awaited(ompd_thread_handle_t *thread_handle, ompd_task_handle_t *task_handle,
				    ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
				    ompd_word_t *is_complete);

/*
 * Return the tasks or the thread that a thread in @state waits for, as ompd_get_awaited() does. For
 * a thread whose state the runtime does not store: the tool has derived @state from the thread's
 * stack. @state is ompt_state_wait_ordered or ompt_state_wait_taskwait. In a doacross loop,
 * ompt_state_wait_ordered gives no answer.
 * ompd_rc_unavailable: the thread is not in @state, or that cannot be determined.
 * ompd_rc_unsupported: ompd_get_awaited() already returns all that the runtime records.
 */
OMPD_API ompd_rc_t ompd_get_awaited_as(ompd_thread_handle_t *thread_handle, ompd_word_t state, ompd_word_t max_awaited,
				       ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete);

/* A thread's place in the code, with the registers that the tool knows. */
typedef struct ompd_place_t {
	ompd_addr_t function, pc;  /* start of the function, and the instruction in it */
	const uint64_t *registers; /* indexed by DWARF register number */
	uint64_t known;		   /* bit n: registers[n] is valid */
} ompd_place_t;

/*
 * Return the thread that executes the awaited iteration, as ompd_get_awaited() does. For a thread
 * that spins at @place, in one of the runtime's routines for doacross loops.
 * ompd_rc_unavailable: the thread cannot be determined.
 */
OMPD_API ompd_rc_t ompd_get_awaited_at(ompd_thread_handle_t *thread_handle, const ompd_place_t *place,
				       ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
				       ompd_word_t *is_complete);

/* How often regions of the outlined function at `function` were started at the nesting level `level`. */
typedef struct ompd_region_calls_t {
	ompd_addr_t function;
	ompd_word_t level;
	uint64_t calls;
} ompd_region_calls_t;

/*
 * Return how often the process has started parallel regions, by function and level. *@regions is an
 * unsorted array in the tool's memory, or NULL if there are no regions. The numbers are exact and
 * never decrease. In a running process, they are not all of the same moment.
 * ompd_rc_incomplete: the library's limit was reached.
 * ompd_rc_unsupported: the runtime does not count regions.
 */
OMPD_API ompd_rc_t ompd_get_region_calls(ompd_address_space_handle_t *handle, ompd_region_calls_t **regions,
					 ompd_word_t *num_regions);

/*
 * Return the source location of a construct, as the compiler has written it into the program (clang
 * with -g or -gline-tables-only). It needs no debug information. One handle is given, the other two
 * are NULL:
 * - @parallel_handle: the region's construct;
 * - @task_handle: the construct of an explicit task;
 * - @thread_handle: the construct in which the thread waits.
 * *@location is FILE;FUNCTION;LINE;COLUMN without control characters. It is in the tool's memory,
 * and the tool frees it. Only FILE can contain more semicolons. COLUMN may be 0.
 *
 * ompd_rc_unavailable: the compiler wrote no location, nothing proves which construct it is, or the
 * thread waits in no construct.
 * ompd_rc_unsupported: the runtime does not record it.
 */
OMPD_API ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread_handle,
					       ompd_parallel_handle_t *parallel_handle, ompd_task_handle_t *task_handle,
					       const char **location);

#ifdef __cplusplus
}
#endif

#endif
