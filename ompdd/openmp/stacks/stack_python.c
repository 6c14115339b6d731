/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A call from C into Python adds one frame of the interpreter's evaluation function. That frame has a record of the
 * interpreter in it, whose address is known from 3.10 on. In 3.9 the evaluation function executes one Python function,
 * and is found by its name.
 */
#include "openmp/stacks/stack_python.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"

/* The position of a function that no known frame executes. */
#define NOWHERE UINT32_MAX

struct stacks_place *stack_python_place(struct stacks *st, uint64_t instruction, const char *function, const char *file,
					int line)
{
	uint32_t hash = hash_number(~instruction);

	hash_for_each(i, &st->places_index, hash)
	{
		const struct source_place *known = &st->places[i]->source.places[0];

		/* Other code may have taken the place of code in memory. */
		if (st->places[i]->module_kind == PLACE_PYTHON && st->places[i]->instruction == instruction &&
		    known->line == line && !strcmp(known->function, function) && !strcmp(known->file, file))
			return st->places[i];
	}
	struct stacks_place *place =
		VECTOR_GROW(st->places, st->n_places, st->cap_places) ? calloc(1, sizeof(*place)) : NULL;
	struct source_place *source = place ? &place->source.places[0] : NULL;
	if (!place || !(source->function = strdup(function)) || !(source->file = strdup(file)) ||
	    !hash_add(&st->places_index, hash, st->n_places)) {
		if (place) {
			free(source->function);
			free(source->file);
		}
		free(place);
		return NULL;
	}
	source->line = line;
	place->source.n_places = 1;
	place->module_kind = PLACE_PYTHON;
	place->instruction = instruction;
	/* Nothing more is to be found: the place has no code of the processor. */
	place->is_exact = place->has_source = place->has_callee = place->has_call = true;
	st->places[st->n_places++] = place;
	return place;
}

static bool is_evaluation(struct stacks *st, const struct stacks_frame *frame)
{
	static const char name[] = "_PyEval_EvalFrameDefault";
	const char *function = stack_places_function(st, frame->place);

	return function && !strncmp(function, name, sizeof(name) - 1);
}

/* Return the frame of @t that contains the stack address @entry. */
static uint32_t find_frame(const struct stacks_thread *t, uint64_t entry)
{
	for (uint32_t i = 0; i + 1 < t->n_frames; i++) {
		if (t->frames[i].sp && entry >= t->frames[i].sp && entry < t->frames[i + 1].sp)
			return i;
	}
	return NOWHERE;
}

static void find_by_entry(const struct stacks_thread *t, uint32_t *ret)
{
	for (uint32_t i = 0; i < t->n_python; i++)
		ret[i] = find_frame(t, t->python[i].entry);
}

/* Without addresses, the n-th evaluation executes the n-th function. If their numbers differ, nothing is known. */
static void find_by_name(struct stacks *st, struct stacks_thread *t, uint32_t *ret)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_frames; i++) {
		if (!is_evaluation(st, &t->frames[i]))
			continue;
		if (n < t->n_python)
			ret[n] = i;
		n++;
	}
	for (uint32_t i = n; i < t->n_python; i++)
		ret[i] = NOWHERE;
	if (n == t->n_python || (n < t->n_python && t->end != STACK_OUTERMOST) || !t->n_frames)
		return;
	t->python_why = "the numbers of Python functions and of the interpreter's frames differ";
	t->n_python = 0;
}

static struct stacks_frame make_frame(const struct stacks_python_frame *python, uint64_t sp)
{
	return (struct stacks_frame){.place = python->place, .sp = sp};
}

bool stack_python_insert(struct stacks *st, struct stacks_thread *t)
{
	struct stacks_frame *frames = calloc((size_t)t->n_frames + t->n_python + 1, sizeof(*frames));
	uint32_t *at = malloc((t->n_python ? t->n_python : 1) * sizeof(*at)), n = 0;

	if (!frames || !at) {
		free(frames);
		free(at);
		return false;
	}
	if (t->n_python && t->python[0].entry)
		find_by_entry(t, at);
	else
		find_by_name(st, t, at);
	for (uint32_t i = 0; i < t->n_frames; i++) {
		for (uint32_t k = 0; k < t->n_python; k++) {
			if (at[k] == i)
				frames[n++] = make_frame(&t->python[k], t->frames[i].sp);
		}
		frames[n++] = t->frames[i];
	}
	t->is_of_python = !n;
	for (uint32_t k = 0; k < t->n_python && t->is_of_python; k++)
		frames[n++] = make_frame(&t->python[k], 0);
	free(at);
	free(t->frames);
	t->frames = frames;
	t->n_frames = n;
	return true;
}

bool stack_python_is_library(const char *file)
{
	return !strncmp(file, "/usr/", 5) || file[0] == '<' || strstr(file, "/lib/python3") ||
	       strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}
