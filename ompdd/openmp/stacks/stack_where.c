/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A Python function is the program's own by its file. A frame of C is its own by its module. That is the executable, a
 * module with the code of a region or task, or a user's module that has lines. Within such a module, lines and names
 * identify code linked from other sources. MPI's functions are found by their names: they may be linked in.
 */
#include "openmp/stacks/stack_where.h"

#include <string.h>
#include <strings.h>

#include "openmp/model/model.h"
#include "openmp/model/walk/location.h"
#include "openmp/runtimes/body.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_names.h"
#include "openmp/stacks/stack_python.h"
#include "target/modules/modules.h"

static bool is_mpi(const char *function)
{
	return function &&
	       (!strncmp(function, "MPI_", 4) || !strncmp(function, "PMPI_", 5) || !strncasecmp(function, "mpi_", 4));
}

/* Find the outermost function of the frame that is MPI's. */
static bool is_mpi_frame(struct stacks *st, const struct stacks_frame *frame, const char **name_ret)
{
	const struct source *source = stacks_source(st, frame->place);

	for (int k = source->n_places - 1; k >= 0; k--) {
		if (!is_mpi(source->places[k].function))
			continue;
		*name_ret = source->places[k].function;
		return true;
	}
	return false;
}

/* Return whether the runtime called code of @module on this stack. */
static bool has_region_code(const struct stacks_thread *t, const struct target_module *module)
{
	for (uint32_t i = 0; i < t->n_segments; i++) {
		const struct stacks_segment *segment = &t->segments[i];

		if (segment->end > segment->first && segment->end < t->n_frames &&
		    t->frames[segment->end].kind == FRAME_RUNTIME &&
		    t->frames[segment->end - 1].place->source.module == module)
			return true;
	}
	return false;
}

static bool is_in_system_folder(const char *path)
{
	return !strncmp(path, "/usr/", 5) || !strncmp(path, "/lib", 4);
}

static bool is_own(struct stacks *st, const struct stacks_thread *t, const struct stacks_frame *frame)
{
	const struct target_module *module = frame->place->source.module;

	if (frame->place->module_kind == PLACE_PYTHON)
		return !stack_python_is_library(frame->place->source.places[0].file);
	if (frame->kind != FRAME_USER || frame->place->module_kind != PLACE_PROGRAM || !module ||
	    stack_name_is_support_module(module->path))
		return false;
	return !strcmp(module->path, target_exe(st->t)) || has_region_code(t, module) ||
	       (!is_in_system_folder(module->path) && stacks_source(st, frame->place)->places[0].file);
}

static bool is_static(struct stacks *st)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);

	return runtime && runtime->is_executable;
}

/* Return whether a library put this code into the program's own: by its file, which may be a header, or by its name. */
static bool is_of_library(const struct source_place *place, bool is_static)
{
	if (stack_name_is_sanitizer(place->function))
		return true;
	if (place->file)
		return !strncmp(place->file, "/usr/", 5);
	return stack_name_is_reserved(place->function, is_static);
}

/* Find the innermost function of the frame that its authors wrote. Return false if all of them are a library's. */
static bool find_written(const struct source *source, const struct stacks_frame *frame, bool is_static,
			 uint8_t *from_ret)
{
	uint8_t from = frame->from;

	*from_ret = from;
	if (frame->place->module_kind == PLACE_PYTHON)
		return true;
	while (from < source->n_places && is_of_library(&source->places[from], is_static))
		from++;
	*from_ret = from;
	return from < source->n_places;
}

/*
 * In a static program, internal functions of the C library have ordinary names. Frame @at is the program's if it has
 * lines or the runtime calls it. It also is if no frame of a library lies between it and such a frame.
 */
static bool is_proven(struct stacks *st, const struct stacks_thread *t, uint32_t at, uint8_t from)
{
	for (; at < t->n_frames && t->frames[at].kind == FRAME_USER; at++, from = t->frames[at].from) {
		const struct source *source = stacks_source(st, t->frames[at].place);

		if (from >= source->n_places)
			return true;
		const struct source_place *place = &source->places[from];
		if (place->file || body_is_outlined(place->function))
			return true;
		if (is_of_library(place, true))
			return false;
	}
	return true;
}

/*
 * Name the function that the call in @frame goes to. The next frame may be another function's: functions end with
 * jumps.
 */
static const char *name_callee(struct stacks *st, const struct stacks_frame *frame, const struct stacks_frame *inner)
{
	stacks_callee(st, frame->place);
	if (frame->place->callee &&
	    target_module_at(st->t, frame->place->callee_address) != frame->place->source.module)
		return frame->place->callee;
	const struct source *source = stacks_source(st, inner->place);
	return source->places[source->n_places - 1].function;
}

/*
 * Name the function that the Python function in frame @at called: of Python's library, or the first one in C that does
 * not belong to the interpreter.
 */
static const char *name_python_callee(struct stacks *st, const struct stacks_thread *t, uint32_t at, uint32_t first)
{
	while (at-- > first && t->frames[at].kind == FRAME_USER) {
		const struct target_module *module = t->frames[at].place->source.module;
		const char *function = stack_places_function(st, t->frames[at].place);

		if (function && !(module && stack_name_is_support_module(module->path)))
			return function;
	}
	return NULL;
}

/*
 * Code that left by a jump has no frame, but the function it called has. Return the outermost known of those functions.
 * Return NULL if the code did not leave by a jump.
 */
static const char *find_jump_callee(struct stacks *st, const struct stacks_thread *t)
{
	const char *called = NULL;

	for (uint32_t i = 0; i < t->n_frames && t->frames[i].kind == FRAME_USER; i++) {
		const struct source *source = stacks_source(st, t->frames[i].place);
		const char *function = source->places[source->n_places - 1].function;

		if (is_own(st, t, &t->frames[i]) || t->frames[i].place->module_kind == PLACE_PYTHON)
			return NULL;
		if (function)
			called = function;
	}
	return called;
}

static void set_place(struct stacks *st, struct stacks_place *place, uint8_t from, struct stack_where *ret)
{
	const struct source *source = stacks_source(st, place);

	ret->pc = place->pc ? place->pc : place->instruction;
	ret->is_python = place->module_kind == PLACE_PYTHON;
	ret->module = source->module;
	ret->function = source->places[from].function;
	ret->file = source->places[from].file;
	ret->line = ret->file ? source->places[from].line : 0;
}

/* Find the innermost frame that the authors wrote, from frame @first on. */
static void find_frame(struct stacks *st, const struct stacks_thread *t, uint32_t first, struct stack_where *ret)
{
	bool in_static = is_static(st);

	for (uint32_t at = first; at < t->n_frames; at++) {
		const struct stacks_frame *frame = &t->frames[at];
		uint8_t from;

		if (!is_own(st, t, frame))
			continue;
		const struct source *source = stacks_source(st, frame->place);
		if (!find_written(source, frame, in_static, &from) || (in_static && !is_proven(st, t, at, from)))
			continue;
		if (!ret->outside && frame->place->module_kind == PLACE_PYTHON)
			ret->outside = name_python_callee(st, t, at, first);
		else if (!ret->outside && from != frame->from)
			ret->outside = source->places[from - 1].function;
		else if (!ret->outside && at > first && t->frames[at - 1].kind != FRAME_RUNTIME)
			ret->outside = name_callee(st, frame, &t->frames[at - 1]);
		set_place(st, frame->place, from, ret);
		return;
	}
}

/* Without code of the authors, find the innermost function of Python: a thread of Python's library is at least there.
 */
static void find_python(struct stacks *st, const struct stacks_thread *t, struct stack_where *ret)
{
	for (uint32_t at = 0; at < t->n_frames; at++) {
		if (t->frames[at].place->module_kind != PLACE_PYTHON)
			continue;
		if (!ret->outside)
			ret->outside = name_python_callee(st, t, at, 0);
		set_place(st, t->frames[at].place, 0, ret);
		return;
	}
}

/* The code that the runtime called last left by a jump into the runtime. Its function is known, but not its line. */
static bool find_jumped(struct stacks *st, const struct stacks_thread *t, struct stack_where *ret)
{
	if (!t->n_segments || t->segments[0].first != t->segments[0].end)
		return false;
	uint64_t function = stack_calls_function(st, t, 0);
	struct stacks_place *place = function ? stack_places_find(st, function, true) : NULL;
	if (!place)
		return true;
	set_place(st, place, (uint8_t)(stacks_source(st, place)->n_places - 1), ret);
	ret->file = NULL;
	ret->line = 0;
	return true;
}

/*
 * Use the construct that the thread waits in, from the runtime's memory. The frame on the stack is another one if the
 * code left by a jump.
 */
static void use_location(const struct snapshot_location *location, struct stack_where *ret)
{
	if (!location || (ret->file && ret->line == location->line))
		return;
	ret->function = location->function;
	ret->file = location->file;
	ret->line = location->line;
}

void stack_where_find(struct stacks *st, size_t i, struct stack_where *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);
	const char *mpi = NULL;
	uint32_t first = 0;

	*ret = (struct stack_where){.pc = 0};
	if (!t)
		return;
	/* Find the outermost function of MPI: the functions below it do not matter. */
	for (uint32_t k = 0; k < t->n_frames; k++) {
		if (t->frames[k].kind == FRAME_USER && is_mpi_frame(st, &t->frames[k], &mpi)) {
			first = k + 1;
			ret->outside = mpi;
			ret->is_mpi = true;
		}
	}
	if (!ret->outside)
		ret->outside = find_jump_callee(st, t);
	if (!find_jumped(st, t, ret))
		find_frame(st, t, first, ret);
	if (!ret->pc)
		find_python(st, t, ret);
	if (st->s && t->thread != SNAPSHOT_NONE)
		use_location(st->s->threads[t->thread].location, ret);
}
