/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Passes each event to the tool and to the debugger. At a start the tool comes first, so that the debugger finds the
 * tool's data. At an end the debugger comes first, for the same reason.
 */
#include "tools/point.h"

#include "core/state/icv.h"
#include "core/state/seat.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

static uint32_t get_wanted(void)
{
	return __atomic_load_n(&ompd_breakpoints, __ATOMIC_RELAXED);
}

static bool has_tool(void)
{
	return get_wanted() & OMPD_TOOL;
}

static bool has_debugger(void)
{
	return get_wanted() & ~OMPD_TOOLS;
}

/*
 * The initial thread, until its start has been shown. It starts when the library is loaded, too early for a debugger
 * that sets breakpoints in main(). With OMP_DEBUG its start is shown at its first region or task.
 */
static struct thread *unseen;

void point_library_loaded(void)
{
	struct thread *t = thread_peek();

	if (!icv_process.debug)
		return;
	if (t->team && !has_debugger())
		__atomic_store_n(&unseen, t, __ATOMIC_RELAXED);
	__atomic_fetch_or(&ompd_breakpoints, OMPD_ENABLED, __ATOMIC_RELAXED);
}

static void show_initial(struct thread *t)
{
	if (likely(__atomic_load_n(&unseen, __ATOMIC_RELAXED) != t))
		return;
	__atomic_store_n(&unseen, NULL, __ATOMIC_RELAXED);
	ompd_bp_thread_begin();
}

void point_thread_begin(struct thread *t)
{
	if (has_tool())
		ompt_thread_begin(t);
	if (has_debugger())
		ompd_bp_thread_begin();
}

void point_thread_end(struct thread *t)
{
	if (has_debugger())
		ompd_bp_thread_end();
	if (has_tool())
		ompt_thread_end(t);
}

void point_initial_begin(struct thread *t, bool league)
{
	if (has_tool())
		ompt_initial_begin(t, league);
}

void point_initial_end(struct thread *t)
{
	if (has_tool())
		ompt_initial_end(t);
}

/*
 * Calls @event of OMPD. When a region starts or ends, the region is the current one, and the encountering task is the
 * current task (OpenMP 5.2, 20.6.1 and 20.6.2).
 */
static void show_region(struct thread *t, void (*event)(void))
{
	struct task *implicit = t->task;

	__atomic_store_n(&t->task, t->team->encountering, __ATOMIC_RELAXED);
	event();
	__atomic_store_n(&t->task, implicit, __ATOMIC_RELAXED);
}

uint32_t point_parallel_begin(struct thread *t)
{
	uint32_t orders = 0;

	if (has_tool()) {
		ompt_parallel_begin(t);
		orders = SEAT_REPORT;
	}
	if (has_debugger()) {
		show_initial(t);
		show_region(t, ompd_bp_parallel_begin);
	}
	return orders;
}

void point_parallel_end(struct thread *t)
{
	if (has_debugger())
		show_region(t, ompd_bp_parallel_end);
	if (has_tool())
		ompt_parallel_end(t);
}

void point_task_create(struct thread *t, struct task *task, const struct task_construct *c)
{
	if (has_tool())
		ompt_task_create(t, task, c->depend, c->site);
}

void point_task_begin(struct task *task)
{
	if (has_tool())
		ompt_task_begin(thread_peek(), task);
	if (has_debugger()) {
		show_initial(thread_peek());
		ompd_bp_task_begin();
	}
}

void point_task_met(struct task *task, void *return_address)
{
	struct thread *t = thread_peek();
	struct site site = {__builtin_extract_return_addr(return_address), NULL};

	if (has_tool()) {
		t->task = task->scheduling;
		ompt_task_create(t, task, NULL, site);
		t->task = task;
		ompt_task_begin(t, task);
	}
	if (has_debugger()) {
		show_initial(t);
		ompd_bp_task_begin();
	}
}

void point_task_end(struct task *task)
{
	if (has_debugger())
		ompd_bp_task_end();
	if (has_tool())
		ompt_task_end(task);
}

void point_task_discard(struct thread *t, struct task *task)
{
	if (has_tool())
		ompt_task_discard(t, task);
}

void point_taskwait_end(struct task *task)
{
	if (has_tool())
		ompt_taskwait_end(task);
}

void point_block_ended(struct task *task, bool is_fulfilled)
{
	if (has_tool())
		ompt_block_ended(task, is_fulfilled);
}

void point_fulfill(struct task *task, bool block_ended)
{
	if (has_tool())
		ompt_fulfill(task, block_ended);
}

void point_cancel(struct thread *t, int what, bool is_request, struct site site)
{
	if (has_tool())
		ompt_cancel(t, what, is_request ? ompt_cancel_activated : ompt_cancel_detected, site.return_address);
}

void point_wait_begin(struct thread *t, ompt_state_t state, struct site site)
{
	if (has_tool())
		ompt_wait(t, state, ompt_scope_begin, ompt_code_of(site));
}

void point_wait_end(struct thread *t, ompt_state_t state, struct site site)
{
	if (has_tool())
		ompt_wait(t, state, ompt_scope_end, ompt_code_of(site));
}

void point_taskgroup_begin(struct thread *t, struct site site)
{
	if (has_tool())
		ompt_taskgroup_begin(t, ompt_code_of(site));
}

void point_mutex_acquire(ompt_mutex_t kind, const void *mutex, struct site site)
{
	if (has_tool())
		ompt_mutex_acquire(kind, mutex, site);
}

void point_mutex_acquired(ompt_mutex_t kind, const void *mutex, struct site site)
{
	if (has_tool())
		ompt_mutex_acquired(kind, mutex, site);
}

void point_mutex_released(ompt_mutex_t kind, const void *mutex, struct site site)
{
	if (has_tool())
		ompt_mutex_released(kind, mutex, site);
}

void point_lock_init(ompt_mutex_t kind, const void *lock, struct site site)
{
	if (has_tool())
		ompt_lock_init(kind, lock, site);
}

void point_lock_destroy(ompt_mutex_t kind, const void *lock, struct site site)
{
	if (has_tool())
		ompt_lock_destroy(kind, lock, site);
}

void point_nest_lock(ompt_scope_endpoint_t endpoint, const void *lock, struct site site)
{
	if (has_tool())
		ompt_nest_lock(endpoint, lock, site);
}

void point_target_begin(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site)
{
	if (!has_tool())
		return;
	report->id = ompt_unique_id();
	ompt_target_event(t, kind, ompt_scope_begin, report, site);
}

void point_target_end(struct thread *t, ompt_target_t kind, struct point_target *report, struct site site)
{
	if (has_tool())
		ompt_target_event(t, kind, ompt_scope_end, report, site);
}

void point_work_begin(struct thread *t, const struct workshare_setup *setup, struct site site)
{
	if (has_tool())
		ompt_work_begin(t, setup->work, setup->n, ompt_code_of(site));
}

void point_work_end(struct thread *t, struct site site)
{
	if (has_tool())
		ompt_work_end(t, ompt_code_of(site));
}

bool point_wants_chunks(void)
{
	return ompt_get(ompt_callback_dispatch);
}

void point_chunk(struct thread *t, const struct loop *l)
{
	if (has_tool())
		ompt_chunk(t, l);
}

void point_section(struct thread *t, const struct loop *l)
{
	if (has_tool())
		ompt_section(t, l);
}

void point_single_begin(struct thread *t, ompt_work_t work, struct site site)
{
	if (has_tool())
		ompt_work(t, work, ompt_scope_begin, 1, ompt_code_of(site));
}

void point_single_end(struct thread *t, ompt_work_t work, struct site site)
{
	if (has_tool())
		ompt_work(t, work, ompt_scope_end, 1, ompt_code_of(site));
}

void point_copyprivate_begin(struct thread *t, struct site site)
{
	if (has_tool())
		ompt_sync_region(t, ompt_sync_region_barrier_implementation, ompt_scope_begin, ompt_code_of(site));
}

void point_copyprivate_end(struct thread *t, struct site site)
{
	if (has_tool())
		ompt_sync_region(t, ompt_sync_region_barrier_implementation, ompt_scope_end, ompt_code_of(site));
}

void point_taskloop(struct thread *t, ompt_scope_endpoint_t endpoint, uint64_t n, struct site site)
{
	if (has_tool())
		ompt_work(t, ompt_work_taskloop, endpoint, n, ompt_code_of(site));
}

void point_doacross(struct thread *t, bool is_source, const uint64_t *vector, uint32_t n)
{
	if (has_tool())
		ompt_doacross(t, is_source, vector, n);
}

void point_task_dependence(struct task *before, struct task *task)
{
	if (has_tool())
		ompt_task_dependence(before, task);
}

void point_error(ompt_severity_t severity, const char *message, size_t length, struct site site)
{
	if (has_tool())
		ompt_error(severity, message, length, site);
}

void point_league_begin(struct thread *t, uint32_t n, struct site site)
{
	if (has_tool())
		ompt_league_begin(t, n, site);
	if (has_debugger())
		ompd_bp_teams_begin();
}

void point_league_end(struct thread *t, struct site site)
{
	if (has_debugger())
		ompd_bp_teams_end();
	if (has_tool())
		ompt_league_end(t, site);
}
