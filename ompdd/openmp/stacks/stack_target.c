/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Walks the segments of each stack. A plugin further in than a call for a target construct is a wait for a device. An
 * initial task further in is a region that the host executes.
 */
#include "openmp/stacks/stack_target.h"

#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/model/wait/holder.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/code/code_pointer.h"
#include "openmp/stacks/stack_code.h"
#include "openmp/stacks/stack_device.h"
#include "openmp/stacks/stack_state.h"
#include "openmp/stacks/stacks.h"
#include "target/unwind/unwind_range.h"

/* In code_pointer.reg */
#define NO_REGISTER (-1)

struct search {
	struct stacks *st;
	const struct snapshot *s;
	const struct runtime *runtime;
	struct stack_targets *ret;
};

static struct error *add_target(struct search *f, const struct stack_target *target)
{
	if (!VECTOR_GROW(f->ret->list, f->ret->n, f->ret->cap))
		return &error_nomem;
	f->ret->list[f->ret->n++] = *target;
	return NULL;
}

/* Find the function of the region that gcc's code passed in the call at @place; 0: not proven. */
static uint64_t find_passed_function(struct search *f, const struct stacks_place *place)
{
	int argument = construct_region_argument(place->callee);
	struct stack_code code;
	struct code_releases releases = {.world = &code.world};
	struct code_function function;
	struct code_pointer pointer;
	struct unwind_range range;
	uint64_t address = 0;

	stack_code_init(&code, f->st, f->runtime);
	if (argument >= 0 && !place->is_exact && unwind_range_find(f->st->t, place->pc - 1, &range) &&
	    stack_code_function(&code, range.start, &function) &&
	    code_argument_find(&releases, &function, place->pc, (unsigned)argument, &pointer) &&
	    pointer.reg == NO_REGISTER && !pointer.n_loads)
		address = (uint64_t)pointer.offsets[0];
	code_releases_deinit(&releases);
	return address;
}

/* Set the construct of @target to the call at the end of segment @segment. */
static void set_construct(struct search *f, struct stack_target *target, const struct stacks_thread *t,
			  uint32_t segment, struct stacks_place *entry)
{
	target->callee = entry->callee;
	target->has_kind = true;
	target->kind = construct_target_of(entry->callee);
	target->place = entry;
	target->inlined = t->frames[t->segments[segment].first].from;
	target->nowait = construct_nowait_of(entry->callee);
	target->address = find_passed_function(f, entry);
}

static bool is_helper(const struct snapshot *s, uint32_t thread)
{
	uint32_t parallel = thread == SNAPSHOT_NONE ? SNAPSHOT_NONE : s->threads[thread].parallel.index;

	return parallel != SNAPSHOT_NONE && s->parallels[parallel].is_of_helpers;
}

/* Return whether the library knows the thread. */
static bool is_known(const struct search *f, const struct stacks_thread *t)
{
	return t->thread != SNAPSHOT_NONE && f->s->threads[t->thread].openmp;
}

static struct stack_target create_target(const struct search *f, const struct stacks_thread *t)
{
	if (!is_known(f, t))
		return (struct stack_target){.tid = t->tid, .thread = SNAPSHOT_NONE, .task = SNAPSHOT_NONE};
	return (struct stack_target){.tid = t->tid, .thread = t->thread, .task = f->s->threads[t->thread].task.index};
}

/* Waits for a device */

/* Find the call that waits for the device. Returns n_segments if the stack does not show it. */
static uint32_t find_call(struct search *f, const struct stacks_thread *t)
{
	uint32_t i = 0;

	for (; i < t->n_segments; i++) {
		struct stacks_place *entry = stacks_entry(f->st, t, i);

		if (entry && entry->callee && entry->construct == CONSTRUCT_TARGET)
			break;
	}
	return i;
}

/* Return what the innermost known function of a plugin does, among frames [0, @end). */
static enum offload_activity find_activity(struct search *f, const struct stacks_thread *t, uint32_t end)
{
	enum offload_activity activity = OFFLOAD_UNKNOWN;

	for (uint32_t i = 0; i < end && activity == OFFLOAD_UNKNOWN; i++) {
		const struct target_module *module = t->frames[i].place->source.module;
		const char *function = stack_places_function(f->st, t->frames[i].place);

		if (function && module && offload_is_plugin(module->path))
			activity = offload_activity_of(function);
	}
	return activity;
}

/* Return the function of the region if the host executes the device's code, among frames [0, @end). */
static const char *find_kernel(struct search *f, const struct stacks_thread *t, uint32_t end)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < end; i++) {
		const char *function = stack_places_function(f->st, t->frames[i].place);

		if (body_is_of_target(function))
			found = function;
	}
	return found;
}

/* Return whether the runtime executes a deferred task in @entry. */
static bool executes_tasks(const struct stacks_place *entry)
{
	return entry && (entry->construct == CONSTRUCT_TASKWAIT || entry->construct == CONSTRUCT_TASKGROUP ||
			 entry->construct == CONSTRUCT_BARRIER || entry->construct == CONSTRUCT_PARALLEL);
}

/* Decide by the plugin's function and the thread what the name of the entry point does not show. */
static enum construct_nowait find_nowait(struct search *f, const struct stack_target *target,
					 enum offload_activity activity)
{
	if (is_helper(f->s, target->thread) || activity == OFFLOAD_RUN_ASYNC)
		return CONSTRUCT_NOWAIT_YES;
	if (target->nowait == CONSTRUCT_NOWAIT_UNKNOWN && activity == OFFLOAD_RUN && target->callee &&
	    f->runtime->descriptor->clears_record_in)
		return CONSTRUCT_NOWAIT_NO;
	return target->nowait;
}

static struct error *find_wait(struct search *f, size_t i, const struct stacks_thread *t)
{
	static const enum stack_target_activity activities[] = {
		[OFFLOAD_UNKNOWN] = STACK_TARGET_WAITS,	   [OFFLOAD_START] = STACK_TARGET_START,
		[OFFLOAD_DATA] = STACK_TARGET_DATA,	   [OFFLOAD_RUN] = STACK_TARGET_DEVICE,
		[OFFLOAD_RUN_ASYNC] = STACK_TARGET_DEVICE,
	};
	struct stack_target target = create_target(f, t);
	uint32_t segment = find_call(f, t);
	uint32_t end = segment < t->n_segments ? t->segments[segment].first : t->n_frames;
	enum offload_activity activity = find_activity(f, t, end);

	if (segment < t->n_segments) {
		set_construct(f, &target, t, segment, stacks_entry(f->st, t, segment));
		target.has_device = stack_device_find(f->st, i, segment, &target.device);
		/* The code of the device is further in. It belongs to the task with the construct. */
		if (segment > 0)
			segment--;
		if (t->segments[segment].task != SNAPSHOT_NONE)
			target.task = t->segments[segment].task;
	} else if (t->n_segments && executes_tasks(stacks_entry(f->st, t, 0))) {
		target.nowait = CONSTRUCT_NOWAIT_YES;
	}
	target.activity = activities[activity];
	target.nowait = find_nowait(f, &target, activity);
	target.function = find_kernel(f, t, end);
	return add_target(f, &target);
}

/* Regions that the host executes */

/*
 * Return whether segment @i starts the code of a target region: an initial task within another task. Those of leagues
 * have another entry point.
 */
static bool is_host_region(const struct search *f, const struct stacks_thread *t, uint32_t i)
{
	uint32_t task = t->segments[i].task;

	return i + 1 < t->n_segments && task != SNAPSHOT_NONE && f->s->tasks[task].kind == TASK_INITIAL &&
	       f->s->tasks[task].generating.index != SNAPSHOT_NONE;
}

static struct error *find_host(struct search *f, const struct stacks_thread *t, uint32_t i)
{
	const struct stacks_segment *segment = &t->segments[i];
	uint32_t generating = f->s->tasks[segment->task].generating.index;
	struct stacks_place *entry = stacks_entry(f->st, t, i + 1);
	struct stack_target target = create_target(f, t);

	if (!entry || !entry->callee)
		return NULL;
	target.task = generating;
	target.activity = STACK_TARGET_HOST;
	if (entry->construct == CONSTRUCT_TARGET && generating == t->segments[i + 1].task &&
	    construct_target_of(entry->callee) == CONSTRUCT_TARGET_REGION) {
		set_construct(f, &target, t, i + 1, entry);
		target.nowait = CONSTRUCT_NOWAIT_NO;
	} else if (f->runtime->descriptor->clears_record_in && executes_tasks(entry)) {
		target.has_kind = true;
		target.kind = CONSTRUCT_TARGET_REGION;
		target.nowait = CONSTRUCT_NOWAIT_YES;
	} else {
		return NULL;
	}
	if (!target.address)
		target.address = stack_calls_function(f->st, t, i);
	if (segment->end > segment->first)
		target.function = stack_places_function(f->st, t->frames[segment->end - 1].place);
	return add_target(f, &target);
}

/* Regions that the program calls itself */

/* The next function further out on the stack than function @at of frame @i. */
static bool find_caller(struct search *f, const struct stacks_thread *t, uint32_t *i, int *at)
{
	const struct stacks_frame *frame = &t->frames[*i];
	int n = frame->to ? frame->to : stacks_source(f->st, frame->place)->n_places;

	if (++*at < n)
		return true;
	if (*i + 1 >= t->n_frames || t->frames[*i + 1].kind != FRAME_USER ||
	    t->frames[*i + 1].place->source.module != frame->place->source.module)
		return false;
	*at = t->frames[++*i].from;
	return true;
}

static const char *get_function(struct search *f, const struct stacks_thread *t, uint32_t i, int at)
{
	return stacks_source(f->st, t->frames[i].place)->places[at].function;
}

static uint32_t find_task(const struct stacks_thread *t, uint32_t frame)
{
	for (uint32_t i = 0; i < t->n_segments; i++) {
		if (frame >= t->segments[i].first && frame < t->segments[i].end)
			return t->segments[i].task;
	}
	return SNAPSHOT_NONE;
}

/* Add the region if function @at of frame @i is the region's, and its caller is another function of the program. */
static struct error *find_called_at(struct search *f, const struct stacks_thread *t, uint32_t i, int at)
{
	const char *function = get_function(f, t, i, at);

	if (!body_is_of_target(function) || !find_caller(f, t, &i, &at) || body_is_of_target(get_function(f, t, i, at)))
		return NULL;
	struct stack_target target = {
		.tid = t->tid,
		.thread = t->thread,
		.task = find_task(t, i),
		.activity = STACK_TARGET_HOST,
		.has_kind = true,
		.kind = CONSTRUCT_TARGET_REGION,
		.place = t->frames[i].place,
		.inlined = (uint8_t)at,
		.function = function,
	};

	/* clang creates an explicit task for nowait, but also for depend. */
	if (target.task != SNAPSHOT_NONE && f->s->tasks[target.task].kind != TASK_EXPLICIT)
		target.nowait = CONSTRUCT_NOWAIT_NO;
	return add_target(f, &target);
}

/* Find regions without a call of the runtime. */
static struct error *find_called(struct search *f, const struct stacks_thread *t)
{
	struct error *err = NULL;

	for (uint32_t i = 0; i < t->n_frames; i++) {
		const struct stacks_frame *frame = &t->frames[i];

		if (frame->kind != FRAME_USER || frame->place->module_kind == PLACE_PYTHON)
			continue;
		int n = frame->to ? frame->to : stacks_source(f->st, frame->place)->n_places;

		for (int at = frame->from; at < n && !err; at++)
			err = find_called_at(f, t, i, at);
	}
	return err;
}

/* Target tasks without a thread */

/* Return whether a target task has not started. Tasks that are queued for helper threads are target tasks. */
static bool is_queued_target(const struct search *f, const struct snapshot_task *task)
{
	uint32_t parallel = task->parallel.index;

	return task->is_queued && task->thread == SNAPSHOT_NONE &&
	       (task->is_target || (parallel != SNAPSHOT_NONE && f->s->parallels[parallel].is_of_helpers));
}

/* Return whether a wait shows that a device executes the region of the task. */
static bool is_offloaded(const struct holders *holders, uint32_t task)
{
	for (size_t i = 0; i < holders->n; i++) {
		for (uint32_t k = 0; k < holders->waits[i].n_holders; k++) {
			const struct holder *h = &holders->waits[i].holders[k];

			if (h->task == task && h->doing == HOLDER_OFFLOADED)
				return true;
		}
	}
	return false;
}

static struct error *find_pending(struct search *f, const struct holders *holders)
{
	struct error *err = NULL;

	for (uint32_t i = 0; i < f->s->n_tasks && !err; i++) {
		struct stack_target target = {.thread = SNAPSHOT_NONE, .task = i, .nowait = CONSTRUCT_NOWAIT_YES};

		if (is_offloaded(holders, i)) {
			target.activity = STACK_TARGET_DEVICE;
			target.has_kind = true;
			target.kind = CONSTRUCT_TARGET_REGION;
		} else if (is_queued_target(f, &f->s->tasks[i])) {
			target.activity = STACK_TARGET_QUEUED;
		} else {
			continue;
		}
		err = add_target(f, &target);
	}
	return err;
}

/* Regions by the code alone */

/* Return whether the runtime's own code lies between segments @i and @i + 1. */
static bool is_called_by_runtime(const struct search *f, const struct stacks_thread *t, uint32_t i)
{
	for (uint32_t k = t->segments[i].end; k < t->segments[i + 1].first; k++) {
		if (t->frames[k].place->pc < f->runtime->start || t->frames[k].place->pc >= f->runtime->end)
			return false;
	}
	return t->segments[i].end > t->segments[i].first;
}

/*
 * Find the region that the host executes in segment @i. Its record is cleared and no copy is proven, but the runtime
 * has called the function that the program passed for the region.
 */
static struct error *find_by_code(struct search *f, const struct stacks_thread *t, uint32_t i)
{
	struct stack_target target = create_target(f, t);
	struct stacks_place *entry = i + 1 < t->n_segments ? stacks_entry(f->st, t, i + 1) : NULL;
	struct unwind_range range;

	if (!entry || !entry->callee || entry->construct != CONSTRUCT_TARGET || !is_called_by_runtime(f, t, i))
		return NULL;
	set_construct(f, &target, t, i + 1, entry);
	const struct stacks_place *body = t->frames[t->segments[i].end - 1].place;

	if (!target.address || body->is_exact || !unwind_range_find(f->st->t, body->pc - 1, &range) ||
	    range.start != target.address)
		return NULL;
	target.activity = STACK_TARGET_HOST;
	target.task = t->segments[i + 1].task;
	return add_target(f, &target);
}

static struct error *find_on_stack(struct search *f, size_t i)
{
	const struct stacks_thread *t = stacks_thread(f->st, i);
	struct error *err = NULL;

	/* A stack that was read while its thread ran is not of one moment. */
	if (!t || t->end == STACK_MOVED)
		return NULL;
	if (is_known(f, t) && stack_state_is_at_device(f->st->t, t))
		err = find_wait(f, i, t);
	for (uint32_t k = 0; k < t->n_segments && !err; k++) {
		if (is_known(f, t) && is_host_region(f, t, k))
			err = find_host(f, t, k);
		else if (f->runtime->descriptor->clears_record_in)
			err = find_by_code(f, t, k);
	}
	return !err && is_known(f, t) && f->runtime->descriptor->has_direct_calls ? find_called(f, t) : err;
}

struct error *stack_targets_find(struct stacks *st, const struct holders *holders, struct stack_targets *ret)
{
	const struct error *why;
	struct search f = {.st = st, .s = st->s, .runtime = model_runtime(st->m, &why), .ret = ret};
	struct error *err = NULL;

	if (!f.runtime)
		return NULL;
	for (size_t i = 0; i < st->n_threads && !err; i++)
		err = find_on_stack(&f, i);
	return err ? err : find_pending(&f, holders);
}

void stack_targets_deinit(struct stack_targets *targets)
{
	free(targets->list);
	*targets = (struct stack_targets){0};
}
