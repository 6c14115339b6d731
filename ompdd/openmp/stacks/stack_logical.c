/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The logical stack: user code of the current task, then of the task that generated it, and so on to the initial task.
 * Each part may lie on another thread's stack.
 */
#include "openmp/stacks/stack_list.h"

#include "openmp/model/model.h"
#include "openmp/stacks/stack_device.h"

/*
 * The position of the walk: behind the frames of segment @segment of @t. @t is NULL if the task has no visible frames.
 */
struct position {
	struct stacks_thread *t;
	uint32_t segment;
};

struct logical {
	struct stacks *st;
	struct stack_list *l;
	uint64_t mark; /* of segments that were shown already */
};

static void add_frames(struct logical *g, struct position *at)
{
	struct stacks_segment *segment = &at->t->segments[at->segment];

	int32_t device = STACK_DEVICE_NONE;
	uint32_t n_device = stack_device_find_code(g->st, (size_t)(at->t - g->st->threads), &device);

	segment->mark = g->mark;
	for (uint32_t i = segment->first; i < segment->end; i++) {
		struct stack_item *item = stack_list_add(g->st, g->l);

		if (!item)
			return;
		item->kind = ITEM_FRAME;
		item->place = at->t->frames[i].place;
		item->frame_kind = FRAME_USER;
		item->sp = at->t->frames[i].sp;
		item->from = at->t->frames[i].from;
		item->to = at->t->frames[i].to;
		if (i < n_device)
			item->device = device;
	}
	/* If the physical stack is incomplete behind these frames, the logical one is incomplete, too. */
	if (at->segment + 1 == at->t->n_segments && g->l->end == STACK_OUTERMOST)
		g->l->end = at->t->end;
}

/* Add the frames of the runtime that segment @segment of @t called: frames [@from, first frame of the segment). */
static void add_construct(struct logical *g, const struct stacks_thread *t, uint32_t segment, uint32_t from)
{
	uint32_t to = segment < t->n_segments ? t->segments[segment].first : t->n_frames;
	struct stack_item *item;
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += t->frames[i].kind == FRAME_RUNTIME;
	if (!n)
		return;
	item = stack_list_add(g->st, g->l);
	if (!item)
		return;
	item->kind = ITEM_CONSTRUCT;
	item->n_folded = n;
	item->frame_kind = FRAME_RUNTIME;
	if (segment < t->n_segments)
		item->place = stacks_entry(g->st, t, segment);
}

static bool find_position(const struct stacks_thread *t, uint32_t task, struct position *ret)
{
	for (uint32_t i = 0; t && i < t->n_segments; i++) {
		if (t->segments[i].task == task) {
			*ret = (struct position){(struct stacks_thread *)t, i};
			return true;
		}
	}
	return false;
}

/* Find the segment that executes @task: on the stack of the task's thread if that is known, else on any stack. */
static bool find_segment(struct logical *g, uint32_t task, struct position *ret)
{
	const struct snapshot *s = g->st->s;
	uint32_t thread = s->tasks[task].thread;

	if (thread != SNAPSHOT_NONE) {
		size_t i = stacks_find(g->st, s->threads[thread].tid);

		if (i != SIZE_MAX && find_position(stacks_thread(g->st, i), task, ret))
			return true;
	}
	for (size_t i = 0; i < g->st->n_threads; i++) {
		if (find_position(stacks_thread(g->st, i), task, ret))
			return true;
	}
	return false;
}

/* Return the team number of the thread that executes implicit task @task; -1: not known. */
static int64_t get_thread_number(const struct snapshot *s, const struct snapshot_task *task)
{
	if (task->parallel.index == SNAPSHOT_NONE || task->thread == SNAPSHOT_NONE)
		return -1;
	const struct snapshot_parallel *p = &s->parallels[task->parallel.index];
	const struct snapshot_thread *thread = &s->threads[task->thread];
	if (thread->parallel.index == task->parallel.index && thread->thread_num.rc == 0)
		return thread->thread_num.value;
	/* In a region around its current one, the thread has number 0 of its team, or was any other member. */
	if (p->team_size.rc != 0 || p->team_size.value != p->n_members)
		return -1;
	for (uint32_t i = 0; i < p->n_members; i++) {
		if (p->members[i] == task->thread)
			return i;
	}
	return -1;
}

/* Add the boundary at the end of @task. Return the index of its item, or UINT32_MAX. */
static uint32_t add_boundary(struct logical *g, uint32_t task)
{
	const struct snapshot_task *t = &g->st->s->tasks[task];
	struct stack_item *item = stack_list_add(g->st, g->l);

	if (!item)
		return UINT32_MAX;
	item->kind = t->kind == TASK_IMPLICIT || t->kind == TASK_INITIAL ? ITEM_PARALLEL : ITEM_TASK;
	item->frame_kind = FRAME_USER;
	item->task = task;
	if (item->kind == ITEM_PARALLEL) {
		item->parallel = t->parallel.index;
		item->number = get_thread_number(g->st->s, t);
	}
	return g->l->n - 1;
}

/*
 * Return whether @task is an initial task without generating task. Those of target regions and leagues lie within other
 * tasks.
 */
static bool is_outermost(const struct snapshot_task *task)
{
	return task->kind == TASK_INITIAL && task->generating.index == SNAPSHOT_NONE;
}

/* Note the known reason why the code of @task is on no stack. */
static void note_missing(struct logical *g, uint32_t task)
{
	const struct snapshot *s = g->st->s;
	uint32_t thread = s->tasks[task].thread;
	size_t i = thread == SNAPSHOT_NONE ? SIZE_MAX : stacks_find(g->st, s->threads[thread].tid);
	const struct stacks_thread *t = i == SIZE_MAX ? NULL : stacks_thread(g->st, i);

	if (t && t->end != STACK_OUTERMOST && g->l->end == STACK_OUTERMOST)
		g->l->end = t->end;
	/* An intermediate task that has ended, or waits at its region's end, has no frames. That is not a gap. */
	g->l->is_lost |= is_outermost(&s->tasks[task]);
}

/* Go from the end of @task to the task that generated it. Return SNAPSHOT_NONE at the end. */
static uint32_t step_out(struct logical *g, uint32_t task, struct position *at)
{
	const struct snapshot *s = g->st->s;

	if (is_outermost(&s->tasks[task]))
		return SNAPSHOT_NONE;
	uint32_t item = add_boundary(g, task), next = s->tasks[task].generating.index;
	if (item == UINT32_MAX || next == SNAPSHOT_NONE) {
		g->l->is_lost = true;
		return SNAPSHOT_NONE;
	}
	at->t = NULL;
	if (find_segment(g, next, at) && at->t->segments[at->segment].mark != g->mark) {
		g->l->items[item].thread = at->t->tid;
		add_frames(g, at);
	} else {
		at->t = NULL;
		note_missing(g, next);
	}
	return next;
}

/* For code of an unknown task, or for a plugin: go to the code around it on the same stack. */
static uint32_t step_down(struct logical *g, struct position *at)
{
	if (!at->t || at->segment + 1 >= at->t->n_segments)
		return SNAPSHOT_NONE;
	uint32_t from = at->t->segments[at->segment].end;
	at->segment++;
	add_construct(g, at->t, at->segment, from);
	add_frames(g, at);
	return at->t->segments[at->segment].task;
}

struct error *stack_list_logical(struct stacks *st, size_t i, struct stack_list *ret)
{
	struct stacks_thread *t = stacks_thread(st, i);
	struct stack_list l = {0};
	struct logical g = {.st = st, .l = &l, .mark = ++st->last_mark};
	struct position at = {.t = t};
	uint32_t task = SNAPSHOT_NONE;

	if (!t)
		return &error_nomem;
	l.end = t->n_segments ? STACK_OUTERMOST : t->end;
	add_construct(&g, t, 0, 0);
	if (t->task_is_over || (t->n_segments == 0 && t->thread != SNAPSHOT_NONE)) {
		task = st->s->threads[t->thread].task.index;
		at.t = NULL;
	} else if (t->n_segments > 0) {
		add_frames(&g, &at);
		task = t->segments[0].task;
	}
	for (uint32_t steps = 0; steps < MODEL_MAX_DEPTH; steps++) {
		if (at.t && stack_tasks_is_at_plugin(at.t, at.segment + 1)) {
			task = step_down(&g, &at);
		} else if (task != SNAPSHOT_NONE) {
			task = step_out(&g, task, &at);
			if (task == SNAPSHOT_NONE)
				break;
		} else if (at.t && at.segment + 1 < at.t->n_segments) {
			task = step_down(&g, &at);
		} else {
			break;
		}
	}
	*ret = l;
	return NULL;
}
