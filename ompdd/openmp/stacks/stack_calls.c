/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the functions that the runtime called. The outermost function on the stack need not be the called one.
 * Optimized code that ends with a call ends with a jump, and leaves no frame. But the runtime called through a pointer,
 * and its frame keeps that pointer.
 */
#include "openmp/stacks/stacks.h"

#include <string.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"

#define MAX_SYMBOL 512

/* Return whether the function of the program at @address may be the function of a task or region. */
static bool is_function(struct stacks *st, const struct runtime *runtime, uint64_t address)
{
	char name[MAX_SYMBOL];
	uint64_t offset;

	const struct target_module *module = target_module_at(st->t, address);

	if (!module || stack_places_is_system(module->path) || offload_is_of_runtime(module->path) ||
	    offload_is_driver(module->path) ||
	    (!runtime->is_executable && address >= runtime->start && address < runtime->end))
		return false;
	/* A stripped program has no names. */
	if (!target_symbol_at(st->t, address, name, sizeof(name), &offset))
		return !runtime->is_executable;
	return offset == 0 && !body_is_copier(name) && !construct_is_runtime_name(name);
}

/* Return whether the code serves devices. The runtime calls its plugins through pointers, too. */
static bool serves_devices(const struct stacks_place *place)
{
	const struct target_module *module = place->source.module;

	return module && (offload_is_of_runtime(module->path) || offload_is_driver(module->path));
}

void stack_calls_find(struct stacks *st, size_t i, const struct stack *stack)
{
	struct stacks_thread *t = &st->threads[i];
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	uint64_t address;

	for (uint32_t k = 1; runtime && k < t->n_frames; k++) {
		struct stacks_place *place = t->frames[k].place;

		if (place->module_kind != PLACE_RUNTIME || serves_devices(t->frames[k - 1].place))
			continue;
		if (!place->has_call && !place->is_exact)
			call_read(st->t, place->pc, &place->call);
		place->has_call = true;
		if (place->call.kind != CALL_REGISTER && place->call.kind != CALL_SLOT)
			continue;
		if (!call_of_frame(st->t, &place->call, &st->copies.copies[i], stack, k, &address)) {
			/* A plugin also calls its driver through pointers. */
			t->frames[k].calls_program =
				runtime->descriptor->calls_program_only &&
				!(place->source.module && offload_is_of_runtime(place->source.module->path));
			t->frames[k].lacks_called = true;
		} else if (is_function(st, runtime, address)) {
			t->frames[k].calls_program = true;
			t->frames[k].called = address;
		}
	}
}

uint64_t stack_calls_function(struct stacks *st, const struct stacks_thread *t, uint32_t i)
{
	uint32_t first = t->segments[i].first, end = t->segments[i].end;

	if (end < t->n_frames && t->frames[end].called)
		return t->frames[end].called;
	if (first == end)
		return 0;
	const struct stacks_frame *outermost = &t->frames[end - 1];

	/* Check the name first: debug information takes long to read, most of all for the C library. */
	if (outermost->place->module_kind != PLACE_PROGRAM ||
	    !body_is_called_by_runtime(stack_places_function(st, outermost->place)))
		return 0;
	const struct source *source = stacks_source(st, outermost->place);
	/* An inlined function has no address of its own. */
	if (outermost->to && outermost->to < source->n_places)
		return 0;
	return source->function_start;
}
