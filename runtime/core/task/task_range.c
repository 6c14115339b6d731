/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The execution of a range of tasks, whose rest idle threads may take. */
#include "core/task/task_range.h"

#include <string.h>

#include "core/sync/cancel.h"
#include "core/task/deque.h"
#include "core/task/task_end.h"
#include "core/task/task_new.h"
#include "core/task/task_queue.h"
#include "os/clock.h"
#include "os/memory.h"
#include "tools/point.h"

void task_range_set(struct task *task, const struct taskloop_range *r, const void *data)
{
	struct taskloop_range *own = task_range_of(task);

	*own = *r;
	task->data = own + 1;
	if (sizeof(*own) + r->size > TASK_SLOT_ROOM)
		task->data = task->own_data = memory_alloc(r->size);
	memcpy(task->data, data, r->size);
}

/* Sets the bounds of task @i. */
static void set_bounds(uint64_t *data, const struct taskloop_range *r, uint64_t i)
{
	const struct taskloop_division *d = &r->division;
	uint64_t first = i * d->per_task + (i < d->n_longer ? i : d->n_longer);
	uint64_t last = first + d->per_task + (i < d->n_longer);

	data[0] = r->loop_start + first * r->step;
	data[1] = i + 1 == d->n_tasks ? r->loop_end : r->loop_start + last * r->step;
}

/* The rest that the thread of a range has put into its deque. It takes the rest back unless it is stolen. */
struct rest {
	struct task *task; /* NULL: none */
	uint64_t bottom;   /* of the deque with it; 0: it is not in the deque */
};

/* Creates a struct for the tasks of @task's range from @next to @end, exclusive. It is not ready yet. */
static struct task *create_piece(struct thread *t, struct task *task, uint64_t next, uint64_t end)
{
	struct taskloop_range r = *task_range_of(task);
	struct task *piece = task_new_like(t, task->parent, task, task->depth, task->fn, NULL,
					   (task->flags & ~(uint32_t)TASK_STARTED) | TASK_RANGE);

	r.tasks = (struct task_range){next, end};
	task_range_set(piece, &r, task->data);
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
	struct taskloop_range *r = task_range_of(task);
	uint64_t first = r->tasks.next + n, end = r->tasks.end;

	if (end - first > 1 && deque_size(d) == 0) {
		uint64_t middle = first + (end - first) / 2;

		task_ready(t, create_piece(t, task, middle, end));
		end = middle;
	}
	if (rest->task)
		task_range_of(rest->task)->tasks = (struct task_range){first, end};
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
		task_range_of(task)->tasks.end = task_range_of(rest->task)->tasks.end;
	else
		rest->task = NULL;
	rest->bottom = 0;
}

/* The executed task has children or changed its ICVs, so the next one needs another struct. */
static __attribute__((cold)) struct task *renew_task(struct thread *t, struct task *old)
{
	struct task *task = task_new_like(t, old->parent, old, old->depth, old->fn, old->data, old->flags);

	*task_range_of(task) = *task_range_of(old);
	task->scheduling = old->scheduling;
	task->nest = old->nest;
	task->thread_num = old->thread_num;
	task->frame = old->frame;
	if (old->own_data) {
		task->own_data = old->own_data;
		old->own_data = NULL;
	} else if (old->data == (void *)(task_range_of(old) + 1)) {
		task->data = task_range_of(task) + 1;
		memcpy(task->data, old->data, task_range_of(old)->size);
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

struct task *task_range_run(struct thread *t, struct task *task)
{
	struct taskloop_range *r = task_range_of(task);
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
				r = task_range_of(task);
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
