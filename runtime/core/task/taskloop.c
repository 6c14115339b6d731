/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The division of a taskloop's iterations into tasks, and the creation of these. */
#include "core/task/taskloop.h"

#include <string.h>

#include "core/task/reduction.h"
#include "core/task/task_construct.h"
#include "core/task/task_end.h"
#include "core/task/task_new.h"
#include "core/task/task_queue.h"
#include "core/task/task_range.h"
#include "core/task/taskgroup.h"
#include "tools/observer.h"
#include "tools/point.h"

static struct taskloop_division divide_loop(const struct taskloop *loop, uint32_t n_threads)
{
	struct taskloop_division d;

	if (loop->grainsize && loop->strict) {
		d.n_tasks = (loop->n - 1) / loop->grainsize + 1;
		d.per_task = loop->grainsize;
		d.n_longer = 0;
		return d;
	}
	if (loop->grainsize)
		d.n_tasks = loop->n / loop->grainsize;
	else
		d.n_tasks = loop->num_tasks ? loop->num_tasks : n_threads;
	if (d.n_tasks == 0)
		d.n_tasks = 1;
	if (d.n_tasks > loop->n)
		d.n_tasks = loop->n;
	d.per_task = loop->n / d.n_tasks;
	d.n_longer = loop->n % d.n_tasks;
	return d;
}

/* The tasks need nothing of their own except their bounds. */
static void run_ranges(struct thread *t, struct taskloop *loop, const struct taskloop_division *d)
{
	struct task *parent = t->task, *task;
	struct task_construct *c = &loop->tasks;
	struct taskloop_range r = {
		.tasks.end = d->n_tasks,
		.division = *d,
		.loop_start = loop->start,
		.loop_end = loop->end,
		.step = loop->step,
		.size = c->size,
	};

	if (!loop->group && t->team->n_threads > 1 && !task_wants_now(t, parent)) {
		/* Without a group, no thread waits for the tasks here. */
		task = task_new(t, parent, c->fn, NULL, c->flags | TASK_RANGE);
		task_range_set(task, &r, c->data);
		task->thread_num = t->thread_num;
		task_count_created(t, task);
		task_ready(t, task);
		return;
	}
	task = task_new(t, parent, c->fn, c->data, c->flags | TASK_STARTED | TASK_RANGE);
	*task_range_of(task) = r;
	task->scheduling = parent;
	task->nest = parent->nest + 1;
	task->thread_num = t->thread_num;
	task_enter_runtime(parent, c->site);
	t->task = task;
	task = task_range_run(t, task);
	t->task = parent;
	task_leave_runtime(parent);
	if (unlikely(task->n_created || task->own_icv))
		task_end_at_once(t, task);
	else
		task_release(t, task);
}

/* Creates one task construct for each. */
static void create_tasks(struct thread *t, struct taskloop *loop, const struct taskloop_division *d)
{
	struct task_construct *c = &loop->tasks;
	uint64_t *bounds = loop->bounds;

	c->bounds = bounds;
	bounds[1] = loop->start;
	for (uint64_t i = 0; i < d->n_tasks; i++) {
		bounds[0] = bounds[1];
		bounds[1] += (d->per_task + (i < d->n_longer)) * loop->step;
		if (i == d->n_tasks - 1)
			bounds[1] = loop->end;
		task_construct(t, c);
	}
}

void taskloop_construct(struct thread *t, struct taskloop *loop)
{
	const struct task_construct *c = &loop->tasks;
	struct taskloop_division d = divide_loop(loop, t->team->n_threads);

	if (loop->group) {
		taskgroup_begin(t, c->site);
		if (loop->reductions)
			reduction_register(t, loop->reductions);
	}
	POINT(taskloop, t, ompt_scope_begin, loop->n, c->site);
	if (point_has_tool() || c->copy || c->flags & TASK_UNDEFERRED || c->priority || c->align > 16 ||
	    t->task->nest >= TASK_NEST_MAX)
		create_tasks(t, loop, &d);
	else
		run_ranges(t, loop, &d);
	POINT(taskloop, t, ompt_scope_end, loop->n, c->site);
	if (loop->group)
		taskgroup_end(t, c->site);
}
