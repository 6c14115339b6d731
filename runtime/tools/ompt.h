/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPT (OpenMP 5.2, 19): a tool in the program's own process is told what happens, and asks what it wants to know. The
 * tool is looked for at the first use of OpenMP (ompt_find.c); its callbacks are called from the events here
 * (ompt_*.c), which tools/point.c passes on while there is a tool.
 */
#ifndef OMPDD_RUNTIME_TOOLS_OMPT_H
#define OMPDD_RUNTIME_TOOLS_OMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "omp-tools.h"

struct loop;
struct point_target;
struct site;
struct task;
struct team;
struct thread;

/* ompt_find.c */

/*
 * Called by the library's constructor, after env_read(): whether there may be a tool. Then nothing of OpenMP happens
 * before ompt_start() was called, so that the tool misses nothing; and that is called late, so that it has been
 * constructed by then.
 */
bool ompt_is_likely(void);
/* By a thread that becomes a root thread: look for the tool, if nobody has yet; it is initialized when this returns. */
void ompt_start(void);
/* Whether the calling thread is at that: it, or the tool, calls the runtime meanwhile. */
bool ompt_is_starting(void);
/* Whether there is a tool, or was: at its end other threads may still be in its callbacks. */
bool ompt_has_started(void);
/* The tool is told nothing any more. Its finalizer is called; nothing happens if there is no tool. */
void ompt_stop(void);

/* ompt_lookup.c: ompt_function_lookup_t, from which the tool gets all entry points. */
ompt_interface_fn_t ompt_lookup(const char *name);
/* A number that no other call gives. */
uint64_t ompt_unique_id(void);

/* ompt_event.c: what the tool has registered; and that it has registered nothing. */
ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback);
ompt_callback_t ompt_get(ompt_callbacks_t event);
void ompt_forget(void);

/* Events; see the points of the same names. */
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
/* The current thread is at @kind, or waits there, or does so no more. @return_address: NULL: not known. */
void ompt_sync_region(struct thread *t, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		      const void *return_address);

/* The current thread waits in @state, or does so no more, at a construct. States that no event has are ignored. */
void ompt_wait(struct thread *t, ompt_state_t state, ompt_scope_endpoint_t endpoint, const void *return_address);
/* @how: ompt_cancel_activated, _detected or _discarded_task. */
void ompt_cancel(struct thread *t, int what, ompt_cancel_flag_t how, const void *return_address);
void ompt_taskgroup_begin(struct thread *t, const void *return_address);
void ompt_error(ompt_severity_t severity, const char *message, size_t length, struct site site);
/* A target construct begins or ends. */
void ompt_target_event(struct thread *t, ompt_target_t kind, ompt_scope_endpoint_t endpoint,
		       struct point_target *report, struct site site);

/* ompt_mutex.c; see the points of the same names. */
void ompt_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site);
void ompt_lock_init(ompt_mutex_t kind, const void *lock, struct site site);
void ompt_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site);
void ompt_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site);

/* ompt_task.c. @depend: as gcc lays it out; NULL: none. */
void ompt_task_create(struct thread *t, struct task *task, void *const *depend, struct site site);
void ompt_task_begin(struct thread *t, struct task *task);
void ompt_task_end(struct task *task);
void ompt_task_discard(struct thread *t, struct task *task);
void ompt_taskwait_end(struct task *task);
/* Of a detachable task: its block is over; its event is fulfilled. What of that came first is certain (core/detach). */
void ompt_block_ended(struct task *task, bool is_fulfilled);
void ompt_fulfill(struct task *task, bool block_ended);

void ompt_task_dependence(struct task *before, struct task *task);

/* ompt_work.c; see the points. @work of which the current task is told, with @count iterations, sections or blocks. */
void ompt_work(struct thread *t, ompt_work_t work, ompt_scope_endpoint_t endpoint, uint64_t count,
	       const void *return_address);
void ompt_work_begin(struct thread *t, ompt_work_t work, uint64_t count, const void *return_address);
void ompt_work_end(struct thread *t, const void *return_address);
void ompt_chunk(struct thread *t, const struct loop *l);
void ompt_section(struct thread *t, const struct loop *l);
void ompt_doacross(struct thread *t, bool is_source, const uint64_t *vector, uint32_t n);

/* ompt_region.c: all members of a region that the tool knows wait for each other at its end. */
void ompt_region_wait(struct thread *t);
/* What members do instead of the region's function: they call it, and report the end. */
void ompt_member_run(void *data);

/* Pool threads that the tool knows; once they are told to end, wait until they have. */
void ompt_await_workers(void);

/* OMPT_CALL(thread_end, data): ompt_callback_thread_end, if the tool has registered one. */
#define OMPT_CALL(event, ...)                                                                                          \
	do {                                                                                                           \
		ompt_callback_##event##_t ompt_call = (ompt_callback_##event##_t)ompt_get(ompt_callback_##event);      \
		if (ompt_call)                                                                                         \
			ompt_call(__VA_ARGS__);                                                                        \
	} while (0)

#endif
