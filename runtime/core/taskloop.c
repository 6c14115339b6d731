/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See taskloop.h. */
#include "core/taskloop.h"

#include "core/cancel.h"
#include "core/reduction.h"
#include "core/task_run.h"
#include "core/taskgroup.h"

/* The first `n_longer` tasks have `per_task` + 1 iterations, the others `per_task`; the last of all may have less. */
struct division {
	uint64_t n_tasks, n_longer, per_task;
};

static struct division divide(const struct taskloop *loop, uint32_t n_threads)
{
	struct division d;

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

static void make_tasks(struct thread *t, struct taskloop *loop, const struct division *d)
{
	struct task_construct *c = &loop->tasks;
	uint64_t *bounds = loop->bounds;

	c->bounds = loop->bounds;
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
	struct division d = divide(loop, t->team->n_threads);

	if (loop->group) {
		taskgroup_begin(t);
		if (loop->reductions)
			reduction_register(t, loop->reductions);
	}
	make_tasks(t, loop, &d);
	if (loop->group)
		taskgroup_end(t, loop->tasks.site);
}
