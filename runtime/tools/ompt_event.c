/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tool's callbacks, and the events of threads, regions and implicit tasks. */
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "omp-tools.h"
#include "os/futex.h"
#include "tools/ompt.h"
#include "tools/ompt_data.h"

/* OMPT_CALL() needs a type for each name. */
typedef ompt_callback_sync_region_t ompt_callback_sync_region_wait_t;

enum { CALLBACKS = ompt_callback_error + 1 };

#define PARALLEL_FLAGS (ompt_parallel_invoker_runtime | ompt_parallel_team)
#define LEAGUE_FLAGS   (ompt_parallel_invoker_runtime | ompt_parallel_league)

static ompt_callback_t callbacks[CALLBACKS]; /* atomic */

/*
 * How often each callback is called (5.2, 19.2.4). 0: never. Some required callbacks have no events here: the only
 * device is the host, and gcc's OpenMP has no omp_control_tool().
 */
static const uint8_t support[CALLBACKS] = {
	[ompt_callback_thread_begin] = ompt_set_always,
	[ompt_callback_thread_end] = ompt_set_always,
	[ompt_callback_parallel_begin] = ompt_set_always,
	[ompt_callback_parallel_end] = ompt_set_always,
	[ompt_callback_task_create] = ompt_set_always,
	[ompt_callback_task_schedule] = ompt_set_always,
	[ompt_callback_implicit_task] = ompt_set_always,
	[ompt_callback_target] = ompt_set_always,
	[ompt_callback_target_emi] = ompt_set_always,
	[ompt_callback_target_data_op] = ompt_set_always,
	[ompt_callback_target_data_op_emi] = ompt_set_always,
	[ompt_callback_target_submit] = ompt_set_always,
	[ompt_callback_target_submit_emi] = ompt_set_always,
	[ompt_callback_control_tool] = ompt_set_always,
	[ompt_callback_device_initialize] = ompt_set_always,
	[ompt_callback_device_finalize] = ompt_set_always,
	[ompt_callback_device_load] = ompt_set_always,
	[ompt_callback_device_unload] = ompt_set_always,
	/* Always for tasks, taskwait and doacross loops. gcc does not distinguish out from inout. */
	[ompt_callback_dependences] = ompt_set_always,
	/* Where the second task has to wait for the first. */
	[ompt_callback_task_dependence] = ompt_set_sometimes,
	/*
	 * For taskloop, and for loops and sections for which gcc's code calls the runtime (not schedule(static),
	 * distribute, scope). For single: the threads that do not execute it; with copyprivate all threads.
	 */
	[ompt_callback_work] = ompt_set_sometimes_paired,
	/* Each chunk of such a loop, each such section. */
	[ompt_callback_dispatch] = ompt_set_sometimes,
	/* gcc's code does these without calling the runtime. */
	[ompt_callback_masked] = ompt_set_impossible,
	[ompt_callback_flush] = ompt_set_impossible,
	[ompt_callback_reduction] = ompt_set_impossible,
	/* Always for tasks that have not started. Never for barriers. */
	[ompt_callback_cancel] = ompt_set_sometimes,
	/* Always for barriers, taskwait, taskgroup, and the data transfer of copyprivate. */
	[ompt_callback_sync_region] = ompt_set_sometimes_paired,
	[ompt_callback_sync_region_wait] = ompt_set_sometimes_paired,
	/* Always for locks, critical and ordered. For atomic, where gcc's code calls the runtime. */
	[ompt_callback_mutex_acquire] = ompt_set_sometimes,
	[ompt_callback_mutex_acquired] = ompt_set_sometimes,
	[ompt_callback_mutex_released] = ompt_set_sometimes,
	[ompt_callback_lock_init] = ompt_set_always,
	[ompt_callback_lock_destroy] = ompt_set_always,
	[ompt_callback_nest_lock] = ompt_set_always,
	[ompt_callback_error] = ompt_set_always,
};

static uint32_t n_workers; /* pool threads that have started and not ended; atomic */

ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback)
{
	if ((unsigned)event == 0 || (unsigned)event >= CALLBACKS)
		return ompt_set_error;
	if (support[event] < ompt_set_sometimes)
		return support[event] ? (ompt_set_result_t)support[event] : ompt_set_never;
	/*
	 * Release: the caller of the callback sees what the tool prepared before, also in a thread that runs already.
	 */
	__atomic_store_n(&callbacks[event], callback, __ATOMIC_RELEASE);
	return support[event];
}

ompt_callback_t ompt_get(ompt_callbacks_t event)
{
	return (unsigned)event < CALLBACKS ? __atomic_load_n(&callbacks[event], __ATOMIC_ACQUIRE) : NULL;
}

void ompt_forget(void)
{
	for (int i = 0; i < CALLBACKS; i++)
		__atomic_store_n(&callbacks[i], NULL, __ATOMIC_RELAXED);
}

void ompt_thread_begin(struct thread *t)
{
	if (t->is_pool)
		__atomic_fetch_add(&n_workers, 1, __ATOMIC_RELAXED);
	t->tool_data = 0;
	OMPT_CALL(thread_begin, t->is_pool ? ompt_thread_worker : ompt_thread_initial, ompt_data(&t->tool_data));
}

void ompt_thread_end(struct thread *t)
{
	OMPT_CALL(thread_end, ompt_data(&t->tool_data));
	if (t->is_pool && __atomic_sub_fetch(&n_workers, 1, __ATOMIC_RELEASE) == 0)
		futex_wake(&n_workers, INT_MAX);
}

void ompt_await_workers(void)
{
	uint32_t n;

	/* About five seconds: a callback that does not return must not block the end of the process. */
	for (int i = 0; i < 5000 && (n = __atomic_load_n(&n_workers, __ATOMIC_ACQUIRE)) != 0; i++)
		futex_wait_bits(&n_workers, n, UINT32_MAX, 1000000);
}

void ompt_initial_begin(struct thread *t, bool league)
{
	struct team *team = t->team;

	team->tool_data = 0;
	team->tool_league = league;
	t->task->tool_data = 0;
	OMPT_CALL(implicit_task, ompt_scope_begin, ompt_data_of_region(team), ompt_data(&t->task->tool_data),
		  league ? team->num_teams : 1, league ? team->team_num : 1, ompt_task_initial);
}

void ompt_initial_end(struct thread *t)
{
	struct team *team = t->team;

	OMPT_CALL(implicit_task, ompt_scope_end, NULL, ompt_data(&t->task->tool_data), 0,
		  team->tool_league ? team->team_num : 1, ompt_task_initial);
}

/* The thread's state inside the new region, saved while it has its outer state again. */
struct inside {
	struct team *team;
	struct task *task;
	struct member *member;
	uint32_t thread_num, n_threads, epoch, state;
};

static struct inside step_out(struct thread *t)
{
	struct team *team = t->team;
	struct inside inside = {team, t->task, t->member, t->thread_num, t->n_threads, t->epoch, t->state};

	t->task = team->encountering;
	t->member = team->outer.member;
	t->thread_num = team->outer.thread_num;
	t->n_threads = team->outer.n_threads;
	t->epoch = team->outer.epoch;
	state_set(t, ompt_state_overhead);
	__atomic_store_n(&t->team, team->outer.team, __ATOMIC_RELEASE);
	return inside;
}

static void step_in(struct thread *t, const struct inside *inside)
{
	t->task = inside->task;
	t->member = inside->member;
	t->thread_num = inside->thread_num;
	t->n_threads = inside->n_threads;
	t->epoch = inside->epoch;
	state_set(t, inside->state);
	__atomic_store_n(&t->team, inside->team, __ATOMIC_RELEASE);
}

/* The number of threads that the construct, or nthreads-var, requests. */
static uint32_t take_requested(struct thread *t, const struct team *team)
{
	uint32_t n = t->requested > team->n_threads ? t->requested : team->n_threads;

	t->requested = 0;
	return n;
}

void ompt_parallel_begin(struct thread *t)
{
	struct team *team = t->team;
	struct task *encountering = team->encountering;

	team->tool_data = 0;
	team->tool_league = 0;
	team->tool_arrived = 0;
	team->tool_epoch = team->epoch;

	struct inside inside = step_out(t);
	OMPT_CALL(parallel_begin, ompt_data(&encountering->tool_data), ompt_frame_of(encountering),
		  ompt_data(&team->tool_data), take_requested(t, team), PARALLEL_FLAGS, team->site.return_address);
	step_in(t, &inside);
	ompt_member_begin(t);
}

void ompt_parallel_end(struct thread *t)
{
	struct team *team = t->team;

	if (team->tool_epoch != team->epoch)
		return;
	ompt_member_end(t);

	struct inside inside = step_out(t);
	OMPT_CALL(parallel_end, ompt_data(&team->tool_data), ompt_data(&team->encountering->tool_data), PARALLEL_FLAGS,
		  team->site.return_address);
	step_in(t, &inside);
}

void ompt_member_begin(struct thread *t)
{
	struct task *task = t->task;

	task->tool_data = 0;
	OMPT_CALL(implicit_task, ompt_scope_begin, ompt_data(&t->team->tool_data), ompt_data(&task->tool_data),
		  t->n_threads, t->thread_num, ompt_task_implicit);
	/* The region starts within a worksharing construct. */
	if (t->member->share.ws)
		ompt_work_begin(t, (ompt_work_t)t->member->share.ws->work, t->member->share.ws->n,
				t->team->site.return_address);
}

void ompt_member_end(struct thread *t)
{
	OMPT_CALL(implicit_task, ompt_scope_end, NULL, ompt_data(&t->task->tool_data), 0, t->thread_num,
		  ompt_task_implicit);
}

void ompt_league_begin(struct thread *t, uint32_t n, struct site site)
{
	struct task *task = t->task;

	t->team->league_data = 0;
	task_enter_runtime(task, site);
	OMPT_CALL(parallel_begin, ompt_data(&task->tool_data), ompt_frame_of(task), ompt_data(&t->team->league_data), n,
		  LEAGUE_FLAGS, site.return_address);
	task_leave_runtime(task);
}

void ompt_league_end(struct thread *t, struct site site)
{
	OMPT_CALL(parallel_end, ompt_data(&t->team->league_data), ompt_data(&t->task->tool_data), LEAGUE_FLAGS,
		  site.return_address);
}

void ompt_target_event(struct thread *t, ompt_target_t kind, ompt_scope_endpoint_t endpoint,
		       struct point_target *report, struct site site)
{
	struct task *task = t->task;
	bool is_target_task = task->kind == TASK_EXPLICIT && task->flags & TASK_TARGET;
	ompt_data_t *target = is_target_task ? ompt_data(&task->tool_data) : NULL;
	ompt_data_t *encountering = ompt_data(is_target_task ? &task->parent->tool_data : &task->tool_data);

	/* A tool that registers target_emi gets no target callback. */
	if (ompt_get(ompt_callback_target_emi))
		OMPT_CALL(target_emi, kind, endpoint, 0, encountering, target, ompt_data(&report->data),
			  site.return_address);
	else
		OMPT_CALL(target, kind, endpoint, 0, encountering, report->id, site.return_address);
}

void ompt_sync_region(struct thread *t, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
		      const void *return_address)
{
	ompt_data_t *parallel = ompt_data_of_region(t->team), *task = ompt_data(&t->task->tool_data);

	/* The region has ended. */
	if (kind == ompt_sync_region_barrier_implicit_parallel && endpoint == ompt_scope_end)
		parallel = NULL;
	/* The thread arrives at the region and waits in it. */
	if (endpoint == ompt_scope_begin && kind != ompt_sync_region_taskgroup) /* that started long ago */
		OMPT_CALL(sync_region, kind, endpoint, parallel, task, return_address);
	OMPT_CALL(sync_region_wait, kind, endpoint, parallel, task, return_address);
	if (endpoint == ompt_scope_end)
		OMPT_CALL(sync_region, kind, endpoint, parallel, task, return_address);
}

void ompt_taskgroup_begin(struct thread *t, const void *return_address)
{
	OMPT_CALL(sync_region, ompt_sync_region_taskgroup, ompt_scope_begin, ompt_data_of_region(t->team),
		  ompt_data(&t->task->tool_data), return_address);
}

void ompt_wait(struct thread *t, ompt_state_t state, ompt_scope_endpoint_t endpoint, const void *return_address)
{
	ompt_sync_region_t kind;

	switch ((int)state) {
	case ompt_state_wait_barrier: /* gcc's code does not say which barrier */
		kind = ompt_sync_region_barrier;
		break;
	case ompt_state_wait_barrier_implicit:
		kind = ompt_sync_region_barrier_implicit;
		break;
	case ompt_state_wait_barrier_implicit_workshare:
		kind = ompt_sync_region_barrier_implicit_workshare;
		break;
	case ompt_state_wait_barrier_implicit_parallel:
		kind = ompt_sync_region_barrier_implicit_parallel;
		break;
	case ompt_state_wait_taskwait:
		kind = ompt_sync_region_taskwait;
		break;
	case ompt_state_wait_taskgroup:
		kind = ompt_sync_region_taskgroup;
		break;
	default:
		return;
	}
	ompt_sync_region(t, kind, endpoint, return_address);
}

void ompt_cancel(struct thread *t, int what, ompt_cancel_flag_t how, const void *return_address)
{
	int flags = (int)how;

	flags |= what == CANCEL_PARALLEL   ? ompt_cancel_parallel
		 : what == CANCEL_LOOP	   ? ompt_cancel_loop
		 : what == CANCEL_SECTIONS ? ompt_cancel_sections
					   : ompt_cancel_taskgroup;
	OMPT_CALL(cancel, ompt_data(&t->task->tool_data), flags, return_address);
}

void ompt_error(ompt_severity_t severity, const char *message, size_t length, struct site site)
{
	OMPT_CALL(error, severity, message, length, ompt_code_of(site));
}
