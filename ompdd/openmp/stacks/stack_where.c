/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program's own code is in its executable and in the modules that have the code of a region or task; what is in
 * others was called. MPI's functions are told by their names: they may be linked in.
 */
#include "openmp/stacks/stack_where.h"

#include <string.h>
#include <strings.h>

static bool is_mpi(const char *function)
{
	return function &&
	       (!strncmp(function, "MPI_", 4) || !strncmp(function, "PMPI_", 5) || !strncasecmp(function, "mpi_", 4));
}

/* Of the frame's functions the outermost that is one of MPI's. */
static bool frame_is_mpi(struct stacks *st, const struct stacks_frame *frame, const char **name_ret)
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

static bool is_own(const struct stacks *st, const struct stacks_thread *t, const struct stacks_frame *frame)
{
	const struct target_module *module = frame->place->source.module;

	if (frame->kind != FRAME_USER || frame->place->module_kind != PLACE_PROGRAM || !module)
		return false;
	if (!strcmp(module->path, target_exe(st->t)))
		return true;
	for (uint32_t i = 0; i < t->n_segments; i++) {
		const struct stacks_segment *segment = &t->segments[i];

		if (segment->end > segment->first && t->frames[segment->end - 1].place->source.module == module)
			return true;
	}
	return false;
}

/* Code of the C++ library that the compiler put into the program's own. */
static bool is_of_library(const struct source_place *place)
{
	return place->file && !strncmp(place->file, "/usr/", 5);
}

/* The innermost function of the frame that its authors wrote; those further in were called, the outermost of them is
 * @outside. False: there is none. */
static bool find_written(const struct source *source, struct stack_where *ret)
{
	uint8_t from = ret->from;

	while (from < source->n_places && is_of_library(&source->places[from]))
		from++;
	if (from == source->n_places)
		return false;
	if (from != ret->from && !ret->outside)
		ret->outside = source->places[from - 1].function;
	ret->from = from;
	return true;
}

/* What the call in @frame goes to, which the frame further in need not be: functions end with jumps. */
static const char *called_by(struct stacks *st, const struct stacks_frame *frame, const struct stacks_frame *inner)
{
	stacks_callee(st, frame->place);
	if (frame->place->callee &&
	    target_module_at(st->t, frame->place->callee_address) != frame->place->source.module)
		return frame->place->callee;
	const struct source *source = stacks_source(st, inner->place);
	return source->places[source->n_places - 1].function;
}

/* Code that left by a jump has no frame, but what it called has: the outermost known of that. NULL: it did not. */
static const char *called_by_jump(struct stacks *st, const struct stacks_thread *t)
{
	const char *called = NULL;

	for (uint32_t i = 0; i < t->n_frames && t->frames[i].kind == FRAME_USER; i++) {
		const struct source *source = stacks_source(st, t->frames[i].place);
		const char *function = source->places[source->n_places - 1].function;

		if (is_own(st, t, &t->frames[i]))
			return NULL;
		if (function)
			called = function;
	}
	return called;
}

void stack_where_find(struct stacks *st, size_t i, struct stack_where *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);
	const char *mpi = NULL;
	uint32_t first = 0;

	*ret = (struct stack_where){.place = NULL};
	if (!t)
		return;
	/* Look for the outermost function of MPI: what it calls does not matter. */
	for (uint32_t k = 0; k < t->n_frames; k++) {
		if (t->frames[k].kind == FRAME_USER && frame_is_mpi(st, &t->frames[k], &mpi)) {
			first = k + 1;
			ret->outside = mpi;
			ret->is_mpi = true;
		}
	}
	if (!ret->outside)
		ret->outside = called_by_jump(st, t);
	for (uint32_t at = first; at < t->n_frames; at++) {
		const struct stacks_frame *frame = &t->frames[at];

		if (!is_own(st, t, frame))
			continue;
		ret->from = frame->from;
		if (!find_written(stacks_source(st, frame->place), ret))
			continue;
		ret->place = frame->place;
		if (!ret->outside && at > first && t->frames[at - 1].kind != FRAME_RUNTIME)
			ret->outside = called_by(st, frame, &t->frames[at - 1]);
		return;
	}
}
