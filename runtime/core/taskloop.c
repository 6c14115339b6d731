/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See taskloop.h. */
#include "core/taskloop.h"

#include <string.h>

#include "core/cancel.h"
#include "core/reduction.h"
#include "core/task_run.h"
#include "core/taskgroup.h"
#include "os/memory.h"

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

/* The tasks that one struct stands for; in its slot, before the data. */
struct range {
	uint64_t next, end; /* numbers of tasks */
	struct division division;
	uint64_t loop_start, loop_end, step;
	size_t size; /* of the data */
	uint64_t unused;
};

_Static_assert(sizeof(struct range) % 16 == 0, "the data behind it is aligned");

static struct range *range_of(struct task *task)
{
	return task_slot_room(task);
}

/* The bounds of task @i. */
static void set_bounds(uint64_t *data, const struct range *r, uint64_t i)
{
	const struct division *d = &r->division;
	uint64_t first = i * d->per_task + (i < d->n_longer ? i : d->n_longer);
	uint64_t last = first + d->per_task + (i < d->n_longer);

	data[0] = r->loop_start + first * r->step;
	data[1] = i + 1 == d->n_tasks ? r->loop_end : r->loop_start + last * r->step;
}

/* Make @task stand for @r, with a copy of @data. */
static void set_range(struct task *task, const struct range *r, const void *data)
{
	struct range *own = range_of(task);

	*own = *r;
	task->data = own + 1;
	if (sizeof(*own) + r->size > TASK_SLOT_ROOM)
		task->data = task->own_data = memory_alloc(r->size);
	memcpy(task->data, data, r->size);
}

/* Leave the upper half of what is left to the others. */
static __attribute__((noinline)) void split(struct thread *t, struct task *task)
{
	struct range *r = range_of(task), upper = *r;
	struct task *half = task_new_like(t, task->parent, task, task->depth, task->fn, NULL,
					  (task->flags & ~(uint32_t)TASK_STARTED) | TASK_RANGE);

	r->end = upper.next = r->next + (r->end - r->next + 1) / 2;
	set_range(half, &upper, task->data);
	half->thread_num = t->thread_num;
	task_count_created(t, half);
	task_ready(t, half);
}

/* The task that was executed has children, or changed its ICVs: the next one needs a struct of its own. */
static __attribute__((cold)) struct task *renew(struct thread *t, struct task *old)
{
	struct task *task = task_new_like(t, old->parent, old, old->depth, old->fn, old->data, old->flags);

	*range_of(task) = *range_of(old);
	task->scheduling = old->scheduling;
	task->nest = old->nest;
	task->thread_num = old->thread_num;
	task->frame = old->frame;
	if (old->own_data) {
		task->own_data = old->own_data;
		old->own_data = NULL;
	} else if (old->data == (void *)(range_of(old) + 1)) {
		task->data = range_of(task) + 1;
		memcpy(task->data, old->data, range_of(old)->size);
	}
	t->task = task;
	task_end_at_once(t, old);
	return task;
}

/* Cycles since some moment; 0: not known. */
static inline uint64_t cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

enum {
	MANY = 16,	     /* tasks per thread: then the first is tried before it is known whether others should have some */
	LOOK = 8,	     /* tasks between two looks at the clock */
	TINY = 500,	     /* cycles: such tasks are not worth the way to another thread one by one … */
	SPLIT_EVERY = 10000, /* … but half of them is, now and then */
};

struct task *taskloop_run(struct thread *t, struct task *task)
{
	struct range *r = range_of(task);
	uint32_t n_threads = t->team->n_threads;
	bool alone = n_threads == 1, tiny = r->end - r->next > (uint64_t)MANY * n_threads;
	uint64_t then = alone ? 0 : cycles(), last_split = then;
	uint32_t look = tiny ? 1 : LOOK, left = look;

	task_enter_program(task, __builtin_dwarf_cfa());
	for (;;) {
		if (!alone && r->next + 1 < r->end && !tiny && deque_size(&t->member->deque) == 0) {
			split(t, task);
			last_split = then;
		}
		set_bounds(task->data, r, r->next);
		POINT(task_begin, task);
		task->fn(task->data);
		POINT(task_end, task);
		if (++r->next == r->end)
			return task;
		if (unlikely(cancel_is_on()) && cancel_discards(task))
			return task;
		if (unlikely(task->n_created || task->own_icv)) {
			task = renew(t, task);
			r = range_of(task);
		}
		if (!alone && --left == 0) {
			uint64_t now = cycles();

			tiny = now - then < (uint64_t)look * TINY && now - last_split < SPLIT_EVERY;
			then = now;
			left = look = LOOK;
		}
	}
}

/* The tasks need nothing of their own but their bounds. */
static void run_ranges(struct thread *t, struct taskloop *loop, const struct division *d)
{
	struct task *parent = t->task, *task;
	struct task_construct *c = &loop->tasks;
	struct range r = {
		.end = d->n_tasks,
		.division = *d,
		.loop_start = loop->start,
		.loop_end = loop->end,
		.step = loop->step,
		.size = c->size,
	};

	if (!loop->group && t->team->n_threads > 1 && !task_wants_now(t, parent)) {
		/* Nobody waits for them here. */
		task = task_new(t, parent, c->fn, NULL, c->flags | TASK_RANGE);
		set_range(task, &r, c->data);
		task->thread_num = t->thread_num;
		task_count_created(t, task);
		task_ready(t, task);
		return;
	}
	task = task_new(t, parent, c->fn, c->data, c->flags | TASK_STARTED);
	*range_of(task) = r;
	task->scheduling = parent;
	task->nest = parent->nest + 1;
	task->thread_num = t->thread_num;
	task_enter_runtime(parent, c->site);
	t->task = task;
	task = taskloop_run(t, task);
	t->task = parent;
	task_leave_runtime(parent);
	if (unlikely(task->n_created || task->own_icv))
		task_end_at_once(t, task);
	else
		task_release(t, task);
}

/* One construct for each. */
static void make_tasks(struct thread *t, struct taskloop *loop, const struct division *d)
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
	struct division d = divide(loop, t->team->n_threads);

	if (loop->group) {
		taskgroup_begin(t);
		if (loop->reductions)
			reduction_register(t, loop->reductions);
	}
	if (point_has_tool() || c->copy || c->flags & TASK_UNDEFERRED || c->priority || c->align > 16 || t->task->nest >= TASK_NEST_MAX)
		make_tasks(t, loop, &d);
	else
		run_ranges(t, loop, &d);
	if (loop->group)
		taskgroup_end(t, c->site);
}
