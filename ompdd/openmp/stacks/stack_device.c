/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows the device's number from the runtime's entry point to the callers of the function that called it. */
#include "openmp/stacks/stack_device.h"

#include <string.h>

#include <omp-tools.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/code/code_pointer.h"
#include "openmp/stacks/stack_code.h"
#include "target/unwind/call.h"
#include "target/unwind/unwind_range.h"

/* Limit for the functions that pass the number on. */
#define MAX_CALLERS 8

/* One stack. */
struct search {
	struct stacks *st;
	const struct stacks_thread *t;
	struct stack stack;
	struct stack_code code;
	struct code_releases releases;
};

static bool read_register(struct search *s, uint32_t k, int reg, uint64_t *ret)
{
	return k < s->stack.n && s->stack.frames[k].pc == s->t->frames[k].place->pc &&
	       stack_frame_register(&s->stack.frames[k], decode_arch->dwarf[reg], ret);
}

/* Return whether frame @k was entered by a direct call of the function at @start. */
static bool is_called(struct search *s, uint32_t k, uint64_t start)
{
	uint64_t callee;

	return k + 1 < s->t->n_frames && !s->t->frames[k + 1].place->is_exact &&
	       call_target(s->st->t, s->t->frames[k + 1].place->pc, &callee) && callee == start;
}

/* Find argument number @n of the call that frame @k has not finished. */
static bool find_argument(struct search *s, uint32_t k, unsigned n, int32_t *ret)
{
	uint64_t offset = 0, value = 0;

	for (unsigned i = 0; i < MAX_CALLERS && k < s->t->n_frames; i++, k++) {
		const struct stacks_place *place = s->t->frames[k].place;
		struct code_function function;
		struct code_integer integer;
		struct unwind_range range;

		if (place->is_exact || !unwind_range_find(s->st->t, place->pc - 1, &range) ||
		    !stack_code_function(&s->code, range.start, &function) ||
		    !code_integer_find(&s->releases, &function, place->pc, n, &integer))
			return false;
		offset += (uint64_t)integer.offset;
		if (integer.kind == CODE_INTEGER_ARGUMENT) {
			if (!is_called(s, k, range.start))
				return false;
			n = (unsigned)integer.number;
			continue;
		}
		if (integer.kind == CODE_INTEGER_REGISTER && !read_register(s, k, integer.number, &value))
			return false;
		*ret = (int32_t)(uint32_t)(value + offset);
		return true;
	}
	return false;
}

static bool read_icv(const struct snapshot_icv_set *set, const struct icv_value *values, int32_t *ret)
{
	for (size_t i = 0; values && i < set->n; i++) {
		if (strcmp(set->defs[i]->name, "default-device-var") != 0)
			continue;
		if (values[i].rc != ompd_rc_ok || !values[i].has_number || values[i].number < 0 ||
		    values[i].number > INT32_MAX)
			return false;
		*ret = (int32_t)values[i].number;
		return true;
	}
	return false;
}

/* Read default-device-var of the task in @segment. Some libraries have it per thread: then of its current task. */
static bool read_default(struct search *s, uint32_t segment, int32_t *ret)
{
	const struct snapshot *snapshot = s->st->s;
	uint32_t task = s->t->segments[segment].task;

	if (task == SNAPSHOT_NONE)
		return false;
	const struct snapshot_thread *thread = &snapshot->threads[s->t->thread];

	return read_icv(&snapshot->task_icvs, snapshot->tasks[task].icvs, ret) ||
	       (thread->task.index == task && read_icv(&snapshot->thread_icvs, thread->icvs, ret));
}

/* Return whether a plugin's function that copies to its device is on the stack, further in than frame @end. */
static bool copies_to_device(struct search *s, uint32_t end)
{
	for (uint32_t i = 0; i < end; i++) {
		const char *function = stack_places_function(s->st, s->t->frames[i].place);

		if (function && offload_copies_to_device(function))
			return true;
	}
	return false;
}

static bool find_device(struct search *s, uint32_t segment, int32_t *ret)
{
	struct stacks_place *entry = stacks_entry(s->st, s->t, segment);
	uint32_t frame = s->t->segments[segment].first;
	int argument = entry && entry->callee ? construct_device_argument(entry->callee) : -1;
	int32_t number;

	if (argument < 0 || (construct_is_of_device_copy(entry->callee) && !copies_to_device(s, frame)) ||
	    !find_argument(s, frame, (unsigned)argument, &number))
		return false;
	if (number == CONSTRUCT_DEVICE_DEFAULT && construct_has_default_device(entry->callee))
		return read_default(s, segment, ret);
	*ret = number;
	return number >= 0;
}

bool stack_device_find(struct stacks *st, size_t i, uint32_t segment, int32_t *ret)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	struct search s = {.st = st, .t = stacks_thread(st, i)};

	if (!runtime || !s.t || s.t->end == STACK_MOVED || segment >= s.t->n_segments)
		return false;
	stack_code_init(&s.code, st, runtime);
	s.releases.world = &s.code.world;
	stack_unwind(st->t, &st->copies.copies[i], st->max_frames, &s.stack);
	bool found = find_device(&s, segment, ret);
	stack_deinit(&s.stack);
	code_releases_deinit(&s.releases);
	return found;
}

/* Return the number of the frame of the host's plugin that called code of a device, or the number of frames. */
static uint32_t find_plugin(struct stacks *st, const struct stacks_thread *t)
{
	for (uint32_t k = 0; k < t->n_frames; k++) {
		struct stacks_place *place = t->frames[k].place;

		if (!place->source.module || !offload_is_host_plugin(place->source.module->path))
			continue;
		const char *function = stack_places_function(st, place);

		return function && offload_runs_region(function) ? k : t->n_frames;
	}
	return t->n_frames;
}

uint32_t stack_device_find_code(struct stacks *st, size_t i, int32_t *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);
	uint32_t n = t && t->end != STACK_MOVED ? find_plugin(st, t) : 0;
	int32_t number;

	if (!n || n == t->n_frames)
		return 0;
	/* The plugin calls through a library for calls. */
	while (n && t->frames[n - 1].place->source.module &&
	       offload_is_driver(t->frames[n - 1].place->source.module->path))
		n--;
	*ret = STACK_DEVICE_UNKNOWN;
	for (uint32_t k = 0; n && st->s && k < t->n_segments; k++) {
		const struct stacks_place *entry = stacks_entry(st, t, k);

		if (!entry || entry->construct != CONSTRUCT_TARGET)
			continue;
		if (stack_device_find(st, i, k, &number))
			*ret = number;
		break;
	}
	return n;
}
