/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The division of a taskloop's iterations into tasks, and the creation of these. */
#include "core/taskloop.h"

#include <string.h>

#include "core/cancel.h"
#include "core/reduction.h"
#include "core/task_run.h"
#include "core/taskgroup.h"
#include "os/clock.h"
#include "os/memory.h"

/* The first `n_longer` tasks have `per_task` + 1 iterations, the others `per_task`. The last one may have fewer. */
struct division {
	uint64_t n_tasks, n_longer, per_task;
};

static struct division divide_loop(const struct taskloop *loop, uint32_t n_threads)
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

/* In the slot of a task, before its data. */
struct range {
	struct task_range tasks;
	struct division division;
	uint64_t loop_start, loop_end, step;
	size_t size; /* of the data */
	uint64_t unused;
};

_Static_assert(sizeof(struct range) % 16 == 0, "the data behind it is aligned");

static struct range *get_range(struct task *task)
{
	return task_slot_room(task);
}

/* Sets the bounds of task @i. */
static void set_bounds(uint64_t *data, const struct range *r, uint64_t i)
{
	const struct division *d = &r->division;
	uint64_t first = i * d->per_task + (i < d->n_longer ? i : d->n_longer);
	uint64_t last = first + d->per_task + (i < d->n_longer);

	data[0] = r->loop_start + first * r->step;
	data[1] = i + 1 == d->n_tasks ? r->loop_end : r->loop_start + last * r->step;
}

/* Makes @task stand for @r, with a copy of @data. */
static void set_range(struct task *task, const struct range *r, const void *data)
{
	struct range *own = get_range(task);

	*own = *r;
	task->data = own + 1;
	if (sizeof(*own) + r->size > TASK_SLOT_ROOM)
		task->data = task->own_data = memory_alloc(r->size);
	memcpy(task->data, data, r->size);
}

/* The rest that the thread of a range has put into its deque. It takes the rest back unless it is stolen. */
struct rest {
	struct task *task; /* NULL: none */
	uint64_t bottom;   /* of the deque with it; 0: it is not in the deque */
};

/* Creates a struct for the tasks of @task's range from @next to @end, exclusive. It is not ready yet. */
static struct task *create_piece(struct thread *t, struct task *task, uint64_t next, uint64_t end)
{
	struct range r = *get_range(task);
	struct task *piece = task_new_like(t, task->parent, task, task->depth, task->fn, NULL,
					   (task->flags & ~(uint32_t)TASK_STARTED) | TASK_RANGE);

	r.tasks = (struct task_range){next, end};
	set_range(piece, &r, task->data);
	piece->thread_num = t->thread_num;
	task_count_created(t, piece);
	return piece;
}

/*
 * Makes all later tasks available to other threads before this thread executes the next @n tasks. Thieves find the
 * upper half first, in one piece, so that they do not return for each task. The lower half this thread takes back
 * itself.
 */
static __attribute__((noinline)) void publish_rest(struct thread *t, struct task *task, struct rest *rest, uint64_t n)
{
	struct deque *d = &t->member->deque;
	struct range *r = get_range(task);
	uint64_t first = r->tasks.next + n, end = r->tasks.end;

	if (end - first > 1 && deque_size(d) == 0) {
		uint64_t middle = first + (end - first) / 2;

		task_ready(t, create_piece(t, task, middle, end));
		end = middle;
	}
	if (rest->task)
		get_range(rest->task)->tasks = (struct task_range){first, end};
	else
		rest->task = create_piece(t, task, first, end);
	r->tasks.end = first;
	task_ready(t, rest->task);
	rest->bottom = d->bottom;
}

/*
 * The tasks before the rest are done. If the deque ends where it ended with the rest, nothing is on top of it, and
 * only thieves can have taken it. Otherwise children of the earlier tasks are on top and come first. The rest is then
 * run like any other task.
 */
static void take_back_rest(struct thread *t, struct task *task, struct rest *rest)
{
	struct deque *d = &t->member->deque;

	if (!rest->bottom)
		return;
	if (d->bottom == rest->bottom && deque_pop(d))
		get_range(task)->tasks.end = get_range(rest->task)->tasks.end;
	else
		rest->task = NULL;
	rest->bottom = 0;
}

/* The executed task has children or changed its ICVs, so the next one needs another struct. */
static __attribute__((cold)) struct task *renew_task(struct thread *t, struct task *old)
{
	struct task *task = task_new_like(t, old->parent, old, old->depth, old->fn, old->data, old->flags);

	*get_range(task) = *get_range(old);
	task->scheduling = old->scheduling;
	task->nest = old->nest;
	task->thread_num = old->thread_num;
	task->frame = old->frame;
	if (old->own_data) {
		task->own_data = old->own_data;
		old->own_data = NULL;
	} else if (old->data == (void *)(get_range(old) + 1)) {
		task->data = get_range(task) + 1;
		memcpy(task->data, old->data, get_range(old)->size);
	}
	t->task = task;
	task_end_at_once(t, old);
	return task;
}

enum {
	TINY = 500,	   /* ticks: such tasks are too short to be stolen one by one, */
	LOOK = 8,	   /* so only after this many the others get some, */
	OUT_EVERY = 10000, /* ticks: but now and then they get half of the rest */
	MANY = 16,	   /* tasks per thread: then the first is executed before the direction is decided */
};

struct task *taskloop_run(struct thread *t, struct task *task)
{
	struct range *r = get_range(task);
	uint32_t n_threads = t->team->n_threads;
	bool alone = n_threads == 1, tiny = r->tasks.end - r->tasks.next > (uint64_t)MANY * n_threads;
	uint64_t n = alone ? UINT64_MAX : 1; /* tasks in succession */
	uint64_t then = alone ? 0 : clock_now(), last_out = then;
	struct rest rest = {0};

	task_enter_program(task, __builtin_dwarf_cfa());
	for (;;) {
		uint64_t left = n;

		if (r->tasks.end - r->tasks.next > n && (!tiny || then - last_out > OUT_EVERY)) {
			publish_rest(t, task, &rest, n);
			last_out = then = clock_now();
		}
		do {
			if (unlikely(task->n_created || task->own_icv)) {
				task = renew_task(t, task);
				r = get_range(task);
			}
			set_bounds(task->data, r, r->tasks.next);
			POINT(task_begin, task);
			task->fn(task->data);
			POINT(task_end, task);
			r->tasks.next++;
			if (unlikely(cancel_is_on()) && cancel_discards(task))
				goto out;
		} while (r->tasks.next != r->tasks.end && --left);

		uint64_t now = alone ? 0 : clock_now();

		take_back_rest(t, task, &rest);
		if (r->tasks.next == r->tasks.end)
			break;
		tiny = now - then < n * TINY;
		n = !tiny ? 1 : n < LOOK ? 2 * n : LOOK;
		then = now;
	}
out:
	if (rest.task && !rest.bottom)
		task_complete(t, rest.task);
	return task;
}

/* The tasks need nothing of their own except their bounds. */
static void run_ranges(struct thread *t, struct taskloop *loop, const struct division *d)
{
	struct task *parent = t->task, *task;
	struct task_construct *c = &loop->tasks;
	struct range r = {
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
		set_range(task, &r, c->data);
		task->thread_num = t->thread_num;
		task_count_created(t, task);
		task_ready(t, task);
		return;
	}
	task = task_new(t, parent, c->fn, c->data, c->flags | TASK_STARTED | TASK_RANGE);
	*get_range(task) = r;
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

/* Creates one task construct for each. */
static void create_tasks(struct thread *t, struct taskloop *loop, const struct division *d)
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
	struct division d = divide_loop(loop, t->team->n_threads);

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
