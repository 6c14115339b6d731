/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPT (OpenMP 5.2, 19): an interface for a tool in the program's own process. The runtime searches for the tool at
 * the first use of OpenMP (ompt_find.c). tools/point.c passes each event to the functions below (ompt_*.c), which call
 * the tool's callbacks.
 */
#ifndef OMPDD_RUNTIME_TOOLS_OMPT_H
#define OMPDD_RUNTIME_TOOLS_OMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/state/task.h"
#include "omp-tools.h"

struct loop;
struct pool;
struct thread;

/* A target construct: what its start and its end have in common. */
struct point_target {
	uint64_t data, id;
};

/* ompt_find.c */

/*
 * Called by the library's constructor, after env_read(). Returns whether a tool may exist. If so, ompt_start() runs
 * before anything else of OpenMP, so that the tool misses no event. It runs late enough for the tool's own
 * constructors to have finished.
 */
bool ompt_is_likely(void);
/*
 * Called by a thread that becomes a root thread. Searches for the tool, if no thread has yet. The tool is initialized
 * on return. @destroy_pool ends the threads of a root thread's pool, when the tool stops.
 */
void ompt_start(void (*destroy_pool)(struct pool *pool));
/* Returns whether the calling thread is searching. It, or the tool, may call the runtime meanwhile. */
bool ompt_is_starting(void);
/* Returns whether a tool was started. After ompt_stop() other threads may still run its callbacks. */
bool ompt_has_started(void);
/* Stops all events and calls the tool's finalizer. Does nothing without a tool. */
void ompt_stop(void);

/* ompt_lookup.c: ompt_function_lookup_t, which gives the tool all its entry points. */
ompt_interface_fn_t ompt_lookup(const char *name);
/* Returns a number that no other call returns. */
uint64_t ompt_unique_id(void);

/* ompt_event.c: the callbacks that the tool has registered, and their removal. */
ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback);
ompt_callback_t ompt_get(ompt_callbacks_t event);
void ompt_forget(void);

/* Events; see the points with the same names. */
void ompt_thread_begin(struct thread *t);
void ompt_thread_end(struct thread *t);
void ompt_initial_begin(struct thread *t, bool league);
void ompt_initial_end(struct thread *t);
void ompt_parallel_begin(struct thread *t);
void ompt_parallel_end(struct thread *t);
void ompt_member_begin(struct thread *t);
void ompt_member_end(struct thread *t);
void ompt_league_begin(struct thread *t, uint32_t n, struct site site);
void ompt_league_end(struct thread *t, struct site site);
/* The current thread arrives at @kind and waits there, or its wait is over. @return_address: NULL: not known. */
void ompt_sync_region(struct thread *t, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		      const void *return_address);

/* The current thread starts to wait in @state at a construct, or its wait is over. Ignores states without an event. */
void ompt_wait(struct thread *t, ompt_state_t state, ompt_scope_endpoint_t endpoint, const void *return_address);
/* @how: ompt_cancel_activated, _detected or _discarded_task. */
void ompt_cancel(struct thread *t, int what, ompt_cancel_flag_t how, const void *return_address);
void ompt_taskgroup_begin(struct thread *t, const void *return_address);
void ompt_error(ompt_severity_t severity, const char *message, size_t length, struct site site);
/* A target construct starts or ends. */
void ompt_target_event(struct thread *t, ompt_target_t kind, ompt_scope_endpoint_t endpoint,
		       struct point_target *report, struct site site);

/* ompt_mutex.c; see the points with the same names. */
void ompt_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_lock_init(ompt_mutex_t kind, const void *lock, struct site site);
void ompt_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site);
void ompt_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site);

/* ompt_task.c. @depend: in gcc's layout; NULL: no dependences. */
void ompt_task_create(struct thread *t, struct task *task, void *const *depend, struct site site);
void ompt_task_begin(struct thread *t, struct task *task);
void ompt_task_end(struct task *task);
void ompt_task_discard(struct thread *t, struct task *task);
void ompt_taskwait_end(struct task *task);
/* For a detachable task: its block has ended, or its event is fulfilled. core/task/detach decides which was first. */
void ompt_block_ended(struct task *task, bool is_fulfilled);
void ompt_fulfill(struct task *task, bool block_ended);

void ompt_task_dependence(struct task *before, struct task *task);

/* ompt_work.c; see the points. @count: iterations, sections or blocks of the current task's @work. */
void ompt_work(struct thread *t, ompt_work_t work, ompt_scope_endpoint_t endpoint, uint64_t count,
	       const void *return_address);
void ompt_work_begin(struct thread *t, ompt_work_t work, uint64_t count, const void *return_address);
void ompt_work_end(struct thread *t, const void *return_address);
void ompt_chunk(struct thread *t, const struct loop *l);
void ompt_section(struct thread *t, const struct loop *l);
void ompt_doacross(struct thread *t, bool is_source, const uint64_t *vector, uint32_t n);

/* Waits until all pool threads that were reported to the tool have ended. They have been asked to end. */
void ompt_await_workers(void);

/* OMPT_CALL(thread_end, data) calls ompt_callback_thread_end, if the tool has registered one. */
#define OMPT_CALL(event, ...)                                                                                          \
	do {                                                                                                           \
		ompt_callback_##event##_t ompt_call = (ompt_callback_##event##_t)ompt_get(ompt_callback_##event);      \
		if (ompt_call)                                                                                         \
			ompt_call(__VA_ARGS__);                                                                        \
	} while (0)

#endif
