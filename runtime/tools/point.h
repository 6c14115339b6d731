/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Points: places in core/ that report events, first to a tool (ompt.h), then to a debugger's breakpoint (ompd.h). One
 * word says whether an observer exists. An unused point costs one test of that word.
 */
#ifndef OMPDD_RUNTIME_TOOLS_POINT_H
#define OMPDD_RUNTIME_TOOLS_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/task.h"
#include "omp-tools.h"
#include "tools/observer.h"

struct loop;
struct point_target;
struct thread;
struct workshare_setup;

#define POINT_COLD __attribute__((cold, noinline))

/* POINT(thread_begin, t) calls point_thread_begin(t). */
#define POINT(event, ...)                                                                                              \
	do {                                                                                                           \
		if (point_is_wanted())                                                                                 \
			point_##event(__VA_ARGS__);                                                                    \
	} while (0)

/* OMP_DEBUG takes effect here. Called at the end of the library's constructor. */
void point_library_loaded(void);
/* The thread's first and last event, in the thread itself. */
void point_thread_begin(struct thread *t) POINT_COLD;
void point_thread_end(struct thread *t) POINT_COLD;

/* The current task is an initial task that starts or ends. @league: of a team of a league. */
void point_initial_begin(struct thread *t, bool league) POINT_COLD;
void point_initial_end(struct thread *t) POINT_COLD;

/*
 * The current region and implicit task are the new ones. The other members have not been called yet. Returns the
 * orders for them (SEAT_REPORT).
 */
uint32_t point_parallel_begin(struct thread *t) POINT_COLD;
/* All members have arrived. The current region and task are still the ones that end. */
void point_parallel_end(struct thread *t) POINT_COLD;

/* The current task has encountered @c, which has created @task. No other thread knows @task yet. */
void point_task_create(struct thread *t, struct task *task, const struct task_construct *c) POINT_COLD;
/* The block of @task starts. It is the current task now, in place of task.scheduling. */
void point_task_begin(struct task *task) POINT_COLD;
/* Creation and start in one: the construct returns to @return_address, and its task is executed at once. */
void point_task_met(struct task *task, void *return_address) POINT_COLD;
/* The block of @task has ended. It is still the current task. */
void point_task_end(struct task *task) POINT_COLD;
/* @task was cancelled before its block started. */
void point_task_discard(struct thread *t, struct task *task) POINT_COLD;
/* A taskwait with dependences is over. @task stood for it. */
void point_taskwait_end(struct task *task) POINT_COLD;

/*
 * Events of a detachable task: its block has ended, with its event fulfilled or not; its event is fulfilled, with its
 * block ended or not.
 */
void point_block_ended(struct task *task, bool is_fulfilled) POINT_COLD;
void point_fulfill(struct task *task, bool block_ended) POINT_COLD;

/* The current task has cancelled its construct (@what: CANCEL_*), or finds it cancelled. */
void point_cancel(struct thread *t, int what, bool is_request, struct site site) POINT_COLD;
/*
 * The current task starts to wait in @state, or its wait is over. Not every wait is reported. @site: of the construct;
 * NULLs: not known.
 */
void point_wait_begin(struct thread *t, ompt_state_t state, struct site site) POINT_COLD;
void point_wait_end(struct thread *t, ompt_state_t state, struct site site) POINT_COLD;

/* The current task has started a taskgroup. Its wait at the end is reported by point_wait_end(). */
void point_taskgroup_begin(struct thread *t, struct site site) POINT_COLD;

/*
 * Events of @mutex, a lock or its stand-in in a construct. The current task wants it, has acquired it, has released
 * it; has initialized it, destroys it; has acquired it once more, or released it once.
 */
void point_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_lock_init(ompt_mutex_t kind, const void *lock, struct site site) POINT_COLD;
void point_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site) POINT_COLD;
void point_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site) POINT_COLD;

/* Before and after a target construct, with the same @report. */
void point_target_begin(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site) POINT_COLD;
void point_target_end(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site) POINT_COLD;

/*
 * Worksharing. The current task encounters a loop or sections, or leaves it. Combined constructs start with the
 * implicit task. A chunk, or the section after @l->next, is assigned to the thread.
 */
void point_work_begin(struct thread *t, const struct workshare_setup *setup, struct site site) POINT_COLD;
void point_work_end(struct thread *t, struct site site) POINT_COLD;
bool point_wants_chunks(void) POINT_COLD;
void point_chunk(struct thread *t, const struct loop *l) POINT_COLD;
void point_section(struct thread *t, const struct loop *l) POINT_COLD;
void point_single_begin(struct thread *t, ompt_work_t work, struct site site) POINT_COLD;
void point_single_end(struct thread *t, ompt_work_t work, struct site site) POINT_COLD;
/*
 * Before and after the data transfer of a copyprivate single. Every member reports it like a barrier, because a tool
 * derives the order of the members' accesses from it.
 */
void point_copyprivate_begin(struct thread *t, struct site site) POINT_COLD;
void point_copyprivate_end(struct thread *t, struct site site) POINT_COLD;
/* Before and after the creation of tasks for @n iterations. */
void point_taskloop(struct thread *t, ompt_scope_endpoint_t endpoint, uint64_t n, struct site site) POINT_COLD;
/* The iteration @vector of a doacross loop, of @n numbers, is done, or waited for. */
void point_doacross(struct thread *t, bool is_source, const uint64_t *vector, uint32_t n) POINT_COLD;
/* @task has to wait for @before. */
void point_task_dependence(struct task *before, struct task *task) POINT_COLD;

/* An error directive is executed. @message has @length bytes and need not end with a zero; NULL: no message. */
void point_error(ompt_severity_t severity, const char *message, size_t length, struct site site) POINT_COLD;

/* Before and after the initial tasks of a league of @n teams. */
void point_league_begin(struct thread *t, uint32_t n, struct site site) POINT_COLD;
void point_league_end(struct thread *t, struct site site) POINT_COLD;

#endif
