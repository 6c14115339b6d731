/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What OMPD of OpenMP 5.2 has no routine for: tasks that wait to be executed, threads that have come to a barrier, what
 * a sleeping thread waits for, who holds a lock, whom threads and tasks wait for, how often regions were begun, where
 * constructs are in the source, for how long the target stands, and which processor it is of. No other library has
 * these; a tool looks them up by name. Installed beside omp-tools.h.
 */
#ifndef OMPDD_LIBOMPD_OMPD_MORE_H
#define OMPDD_LIBOMPD_OMPD_MORE_H

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The processor of the targets, by its number in ELF files (EM_…): their code is read to find where a stripped runtime
 * keeps its data. For a core of another processor; before ompd_process_initialize(), and for all processes from now on.
 * Without it, it is that of the machine. ompd_rc_unsupported: the library does not know it.
 */
OMPD_API ompd_rc_t ompd_use_processor(ompd_word_t elf_machine);

/*
 * The explicit tasks bound to the region that were deferred and have not begun: at most @max_handles of them, as an
 * array in the tool's memory (alloc_memory), whose handles are released with ompd_rel_task_handle(); NULL with none.
 * *@num_queued is how many there are, also where one handle stands for several tasks of a taskloop. Those that are
 * ready come first, then those that wait for others; but a task that waits only for the event of a detached one whose
 * block has ended is not found. ompd_rc_unsupported: the runtime is not one that says so. ompd_rc_incomplete: there are
 * more than the library looks at or can find, or the target's lists lead nowhere; what was found is there.
 */
OMPD_API ompd_rc_t ompd_get_queued_tasks(ompd_parallel_handle_t *parallel_handle, ompd_word_t max_handles,
					 ompd_task_handle_t ***task_handles, ompd_word_t *num_handles,
					 ompd_word_t *num_queued);

/* How many tasks that are not done it still has to wait for, because of dependences; 0: it is ready, or has begun. */
OMPD_API ompd_rc_t ompd_get_task_predecessors(ompd_task_handle_t *task_handle, ompd_word_t *num_predecessors);

/*
 * How many threads of the region's team have come to its barrier, of any kind, and have not left it.
 * ompd_rc_unavailable: that cannot be told now, or it is the region of an initial task. ompd_rc_unsupported: the
 * runtime does not count them; the states of the team's threads are all that it says.
 */
OMPD_API ompd_rc_t ompd_get_barrier_arrived(ompd_parallel_handle_t *parallel_handle, ompd_word_t *num_arrived);

/*
 * The tool promises that the memory of the process does not change, or that it may be taken as it was when it was first
 * read, until ompd_end_view(): what was read once is not read again. Without that each routine reads all it needs, as
 * the target may have run since the last. One view at a time: it ends that of another process, too; begun again,
 * nothing is known.
 */
OMPD_API ompd_rc_t ompd_begin_view(ompd_address_space_handle_t *handle);
OMPD_API ompd_rc_t ompd_end_view(ompd_address_space_handle_t *handle);

/*
 * The state of a thread of which the tool knows that it sleeps in the operating system until the word at @word changes
 * (a futex): a runtime's memory tells what the word is for, and not always who still sleeps on it. ompd_rc_unavailable:
 * the library knows nothing of that word. ompd_rc_unsupported: all that the runtime can say is in ompd_get_state().
 */
OMPD_API ompd_rc_t ompd_get_state_asleep(ompd_thread_handle_t *thread_handle, const ompd_address_t *word,
					 ompd_word_t *state);

/* What ompd_get_mutex_owner() says of a lock. */
typedef enum ompd_mutex_state_t {
	ompd_mutex_free = 0,	/* nobody holds it: who waits for it is about to go on */
	ompd_mutex_held = 1,	/* the given thread or task does, or both */
	ompd_mutex_orphaned = 2 /* by a thread that the runtime does not know any more: it has ended, or is not in this
				   process since a fork */
} ompd_mutex_state_t;

/*
 * Who holds the lock at @wait_id, as ompd_get_state() gives it of a thread that waits for it: that of a lock, critical
 * or atomic construct. @kind is the ompt_mutex_t: ompt_mutex_lock, _nest_lock, _critical or _atomic; the runtime may
 * keep the owner of some only. With ompd_mutex_held *@thread_handle, *@task_handle or both are handles that the tool
 * releases, else NULL: a lock belongs to a task, and many runtimes only know its thread. ompd_rc_unavailable: it is
 * held, and nothing says by whom, or what is there is no lock. ompd_rc_unsupported: the runtime keeps no owners of this
 * kind.
 */
OMPD_API ompd_rc_t ompd_get_mutex_owner(ompd_address_space_handle_t *handle, ompd_wait_id_t wait_id, ompd_word_t kind,
					ompd_word_t *state, ompd_thread_handle_t **thread_handle,
					ompd_task_handle_t **task_handle);

/* How far a task has come that somebody waits for. */
typedef enum ompd_progress_t {
	ompd_progress_thread = 0,    /* it is no task, but a thread */
	ompd_progress_ready = 1,     /* it has not begun, and nothing holds it back */
	ompd_progress_dependent = 2, /* it has not begun, and waits for other tasks */
	ompd_progress_begun = 3,
	ompd_progress_detached = 4 /* its block is over, and nobody has fulfilled its event */
} ompd_progress_t;

typedef struct ompd_awaited_t {
	ompd_thread_handle_t *thread_handle; /* this, */
	ompd_task_handle_t *task_handle;     /* or this */
	ompd_word_t progress;		     /* ompd_progress_t */
} ompd_awaited_t;

/*
 * Whom a thread waits for (@thread_handle; the other one is NULL): in taskwait and taskgroup the tasks that are not
 * complete, in ordered the thread whose turn it is, at the end of a single with copyprivate the thread that executes
 * it. Or (@task_handle) which tasks one that has not begun waits for, because of dependences. At most @max_awaited, as
 * an array in the tool's memory whose handles the tool releases; NULL with none. *@is_complete is 0 where there are
 * more, or where nobody can be named. ompd_rc_unavailable: it waits for none of this, or that cannot be told.
 * ompd_rc_unsupported: the runtime says nothing of it.
 */
OMPD_API ompd_rc_t ompd_get_awaited(ompd_thread_handle_t *thread_handle, ompd_task_handle_t *task_handle,
				    ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
				    ompd_word_t *is_complete);

/*
 * The same of a thread whose state the runtime does not store, and the tool has learnt from its stack: whom it waits
 * for if that is @state, ompt_state_wait_ordered (not of a doacross loop: there it means nothing) or
 * ompt_state_wait_taskwait. ompd_rc_unavailable: it is not, or that cannot be told. ompd_rc_unsupported: all that the
 * runtime can say is in ompd_get_awaited().
 */
OMPD_API ompd_rc_t ompd_get_awaited_as(ompd_thread_handle_t *thread_handle, ompd_word_t state, ompd_word_t max_awaited,
				       ompd_awaited_t **awaited, ompd_word_t *num_awaited, ompd_word_t *is_complete);

/* Where a thread is, of which the tool knows registers. */
typedef struct ompd_place_t {
	ompd_addr_t function, pc;  /* where the function begins, and where in it the thread is */
	const uint64_t *registers; /* by their DWARF numbers */
	uint64_t known;		   /* bit n: there is registers[n] */
} ompd_place_t;

/*
 * The same of a thread that waits awake, at @place, in a routine of the runtime's for doacross loops: who executes the
 * iteration. ompd_rc_unavailable: that cannot be told.
 */
OMPD_API ompd_rc_t ompd_get_awaited_at(ompd_thread_handle_t *thread_handle, const ompd_place_t *place,
				       ompd_word_t max_awaited, ompd_awaited_t **awaited, ompd_word_t *num_awaited,
				       ompd_word_t *is_complete);

/* Regions of the outlined function at `function` and at nesting level `level`: how often one was begun. */
typedef struct ompd_region_calls_t {
	ompd_addr_t function;
	ompd_word_t level;
	uint64_t calls;
} ompd_region_calls_t;

/*
 * How often the process has begun parallel regions, by function and level: an array in the tool's memory, in no order;
 * NULL with none. The numbers are exact, and never decrease; those of a running process are not all of the same moment.
 * ompd_rc_incomplete: there are more than the library looks at. ompd_rc_unsupported: the runtime does not count them.
 */
OMPD_API ompd_rc_t ompd_get_region_calls(ompd_address_space_handle_t *handle, ompd_region_calls_t **regions,
					 ompd_word_t *num_regions);

/*
 * Where in the program's source a construct is, as its compiler has written that into the program (clang does with -g,
 * -gline-tables-only): of a region (@parallel_handle), of an explicit task (@task_handle), or the one in which a thread
 * waits (@thread_handle); the other two are NULL. *@location is FILE;FUNCTION;LINE;COLUMN without control characters,
 * in the tool's memory, which it frees; only FILE can have further semicolons. COLUMN may be 0. It is the program's
 * word and needs no debug information. ompd_rc_unavailable: the compiler has written none, nothing proves which
 * construct it is, or the thread waits in none. ompd_rc_unsupported: the runtime does not note it.
 */
OMPD_API ompd_rc_t ompd_get_construct_location(ompd_thread_handle_t *thread_handle,
					       ompd_parallel_handle_t *parallel_handle, ompd_task_handle_t *task_handle,
					       const char **location);

#ifdef __cplusplus
}
#endif

#endif
