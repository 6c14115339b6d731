/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for other tasks: which tasks the thread runs meanwhile, when it sleeps, and how it is woken. */
#include "core/task/task_wait.h"

#include "core/state/team.h"
#include "core/sync/sleep.h"
#include "core/sync/wait.h"
#include "core/task/task_run.h"
#include "tools/point.h"

static bool is_over(const struct task *task, const struct task_condition *until)
{
	if (until->group)
		return taskgroup_is_done(until->group);
	if (until->pending)
		return __atomic_load_n(until->pending, __ATOMIC_ACQUIRE) == 0;
	return task_children_done(task);
}

/* Sleeps until woken. Returns the task that its last search found. */
static __attribute__((cold)) struct task *sleep_here(struct thread *t, const struct task_condition *until)
{
	struct member *m = t->member;
	struct task *task = NULL;

	sleeper_announce(&m->asleep);
	__atomic_add_fetch(&t->team->n_sleepers, 1, __ATOMIC_RELAXED);
	uint32_t ns = sleep_prepare();

	if (!is_over(t->task, until)) {
		task = task_find(t, t->task);
		if (!task)
			sleeper_sleep(&m->asleep, ns);
	}
	sleeper_get_up(&m->asleep);
	__atomic_sub_fetch(&t->team->n_sleepers, 1, __ATOMIC_RELAXED);
	return task;
}

void task_wait(struct thread *t, struct task_condition until, ompt_state_t state, struct site site)
{
	struct task *cur = t->task;
	const void *wait_id = until.group     ? (const void *)until.group
			      : until.pending ? (const void *)until.pending
					      : (const void *)cur;
	uint32_t before = state_wait(t, state, wait_id);
	struct waiter w = {0};

	task_enter_runtime(cur, site);
	if (!until.pending) /* otherwise it is not a region of its own */
		POINT(wait_begin, t, state, site);
	while (!is_over(cur, &until)) {
		struct task *task = task_find(t, cur);

		if (!task && !wait_step(&w))
			task = sleep_here(t, &until);
		if (!task)
			continue;
		task_execute(t, task);
		w = (struct waiter){0};
	}
	if (!until.pending)
		POINT(wait_end, t, state, site);
	task_leave_runtime(cur);
	state_restore(t, before);
}

void task_wait_children(struct thread *t, struct site site)
{
	task_wait(t, (struct task_condition){0}, ompt_state_wait_taskwait, site);
}
