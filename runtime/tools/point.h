/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Points at which core/ says what happens, for who wants to know: first a tool (ompt.h), and a debugger's breakpoint
 * (ompd.h). One word says whether anybody does, so a point costs one look at it, and everything else is out of the way.
 */
#ifndef OMPDD_RUNTIME_TOOLS_POINT_H
#define OMPDD_RUNTIME_TOOLS_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"
#include "tools/ompd.h"

struct loop;
struct seat;
struct site;
struct task;
struct task_construct;
struct team;
struct thread;
struct workshare_setup;

#define POINT_COLD __attribute__((cold, noinline))

/*
 * Whether one of @bits is set. Often asked where little else happens: gcc makes four instructions of an atomic load and
 * a test, and has to be told that two do. Relaxed, like every load of the processor.
 */
static inline __attribute__((always_inline)) bool point_look(uint32_t bits)
{
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SANITIZE_THREAD__)
	bool is_set;

	__asm__ volatile("testl %[bits], %[word]"
			 : "=@ccnz"(is_set)
			 : [bits] "e"(bits), [word] "m"(ompd_breakpoints_here));
	return unlikely(is_set);
#else
	return unlikely(__atomic_load_n(&ompd_breakpoints_here, __ATOMIC_RELAXED) & bits);
#endif
}

/* Whether anybody wants to know anything. */
static inline bool point_is_wanted(void)
{
	return RUNTIME_POINTS && point_look(0x7fffffff);
}

/* Whether there is a tool: each task needs a struct of its own then, for the tool's data. */
static inline bool point_has_tool(void)
{
	return RUNTIME_POINTS && point_look(OMPD_TOOL);
}

/* Whether a debugger wants to know what happens. */
static inline bool point_has_debugger(void)
{
	return RUNTIME_POINTS && point_look(0x7fffffffu & ~OMPD_TOOLS);
}

/* Whether there may be a tool; where the calling thread may not be known yet: thread_self() looks for the tool. */
static inline bool point_may_have_tool(void)
{
	return RUNTIME_POINTS && point_look(OMPD_TOOLS);
}

/* POINT(thread_begin, t): calls point_thread_begin(t). */
#define POINT(event, ...)                                                                                              \
	do {                                                                                                           \
		if (point_is_wanted())                                                                                 \
			point_##event(__VA_ARGS__);                                                                    \
	} while (0)

/* OMP_DEBUG is on from here; called at the end of the library's constructor. */
void point_library_loaded(void);
/* In the thread itself: the first that happens in it, and the last. */
void point_thread_begin(struct thread *t) POINT_COLD;
void point_thread_end(struct thread *t) POINT_COLD;

/* The current task is an initial one that begins, or ends. @league: of a team of a league. */
void point_initial_begin(struct thread *t, bool league) POINT_COLD;
void point_initial_end(struct thread *t) POINT_COLD;

/*
 * The current region and implicit task are the new ones; the other members have not been called yet. Returns the orders
 * for them (SEAT_REPORT).
 */
uint32_t point_parallel_begin(struct thread *t) POINT_COLD;
/* All are there; the current region and task are still those that end. */
void point_parallel_end(struct thread *t) POINT_COLD;
/* SEAT_REPORT: the other members begin. Their seat's function becomes one that also reports the end. */
void point_member_begin(struct thread *t, struct seat *seat) POINT_COLD;
/* The primary thread has reached the end of a region that the tool knows, and waits for the others. */
void point_region_wait(struct thread *t) POINT_COLD;

/* The current task has met the construct @c, and made @task of it; nobody else knows it yet. */
void point_task_create(struct thread *t, struct task *task, const struct task_construct *c) POINT_COLD;
/* Its block begins: it is the current task now, in place of task.scheduling. */
void point_task_begin(struct task *task) POINT_COLD;
/* Both in one: its construct returns to @return_address, and it is executed at once. */
void point_task_met(struct task *task, void *return_address) POINT_COLD;
/* Its block is over, but it is still the current task. */
void point_task_end(struct task *task) POINT_COLD;
/* It was cancelled before its block began. */
void point_task_discard(struct thread *t, struct task *task) POINT_COLD;
/* The current task has met the construct @c, but is cancelled itself, so nothing comes of it. */
void point_task_never(struct thread *t, const struct task_construct *c) POINT_COLD;
/* taskwait with dependences is over, for which @task stood. */
void point_taskwait_end(struct task *task) POINT_COLD;

/* Of a detachable task: its block is over, and its event fulfilled or not; or its event is fulfilled, and its block
 * over or not. */
void point_block_ended(struct task *task, bool is_fulfilled) POINT_COLD;
void point_fulfill(struct task *task, bool block_ended) POINT_COLD;

/* The current task has cancelled what surrounds it (@what: CANCEL_*), or finds that somebody has. */
void point_cancel(struct thread *t, int what, bool is_request, struct site site) POINT_COLD;
/* The current task waits, in state @state, or does so no more; not each wait is told of. @site: of the construct;
 * NULLs: not known. */
void point_wait_begin(struct thread *t, ompt_state_t state, struct site site) POINT_COLD;
void point_wait_end(struct thread *t, ompt_state_t state, struct site site) POINT_COLD;

/* The current task has begun a taskgroup; it waits at its end, where point_wait_end() tells that it is over. */
void point_taskgroup_begin(struct thread *t, struct site site) POINT_COLD;

/*
 * The current task wants @mutex (a lock, or what the construct has in its place), has it, has given it back; has made
 * one, destroys it; has once more what it has already, or has it once less.
 */
void point_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site) POINT_COLD;
void point_lock_init(ompt_mutex_t kind, const void *lock, struct site site) POINT_COLD;
void point_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site) POINT_COLD;
void point_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site) POINT_COLD;

/* Around a target construct; @report is the same for both. */
struct point_target {
	uint64_t data, id;
};
void point_target_begin(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site) POINT_COLD;
void point_target_end(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site) POINT_COLD;

/*
 * Worksharing. The current task meets a loop or sections, and leaves it; combined constructs begin with the implicit
 * task. A chunk of the loop's iterations is the thread's now, or the section after @l->next.
 */
void point_work_begin(struct thread *t, const struct workshare_setup *setup, struct site site) POINT_COLD;
void point_work_end(struct thread *t, struct site site) POINT_COLD;
bool point_wants_chunks(void) POINT_COLD;
void point_chunk(struct thread *t, const struct loop *l) POINT_COLD;
void point_section(struct thread *t, const struct loop *l) POINT_COLD;
void point_single_begin(struct thread *t, ompt_work_t work, struct site site) POINT_COLD;
void point_single_end(struct thread *t, ompt_work_t work, struct site site) POINT_COLD;
/*
 * Around the step of a copyprivate single in which the data passes from one member to all others. Every member reports
 * it, as it reports a barrier: a tool orders what the members do by it.
 */
void point_copyprivate_begin(struct thread *t, struct site site) POINT_COLD;
void point_copyprivate_end(struct thread *t, struct site site) POINT_COLD;
/* Around what makes the tasks for @n iterations. */
void point_taskloop(struct thread *t, ompt_scope_endpoint_t endpoint, uint64_t n, struct site site) POINT_COLD;
/* The iteration @vector of a doacross loop, of so many loops, is done, or waited for. */
uint32_t point_doacross_loops(struct thread *t) POINT_COLD;
void point_doacross(struct thread *t, bool is_source, const uint64_t *vector) POINT_COLD;
/* @task has to wait for @before. */
void point_task_dependence(struct task *before, struct task *task) POINT_COLD;

/* An error directive is executed; @message has @length bytes, and an end or not; NULL: none. */
void point_error(ompt_severity_t severity, const char *message, size_t length, struct site site) POINT_COLD;

/* A league of @n teams around their initial tasks. */
void point_league_begin(struct thread *t, uint32_t n, struct site site) POINT_COLD;
void point_league_end(struct thread *t, struct site site) POINT_COLD;

#endif
