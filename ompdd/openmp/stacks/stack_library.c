/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call instruction in the caller names the function. Code that left by a jump has no frame with that call. */
#include "openmp/stacks/stack_library.h"

#include <string.h>

#include "openmp/stacks/stack_mutex.h"
#include "openmp/stacks/stack_names.h"

static bool is_library(const struct stacks_thread *t, uint32_t i)
{
	return i < t->n_frames && stack_mutex_is_glibc(t->frames[i].place->source.module);
}

uint32_t stack_library_skip(const struct stacks_thread *t, uint32_t i)
{
	while (is_library(t, i))
		i++;
	return i;
}

/* Return the outermost function of the frame. */
static const char *find_symbol(struct stacks *st, const struct stacks_frame *frame)
{
	const struct source *source = stacks_source(st, frame->place);

	return source->places[source->n_places - 1].function;
}

static void set_function(struct stacks *st, const struct stacks_thread *t, struct library_run *run)
{
	const char *name = NULL;

	run->function[0] = '\0';
	if (run->end < t->n_frames) {
		struct stacks_place *caller = t->frames[run->end].place;

		stacks_callee(st, caller);
		name = caller->callee;
	}
	if (!name)
		name = find_symbol(st, &t->frames[run->end - 1]);
	if (!name)
		return;
	name = stack_name_public(name);
	if (!strncmp(name, "IO_", 3))
		name += 3;
	size_t len = strcspn(name, "@.");
	if (len >= sizeof(run->function))
		return;
	memcpy(run->function, name, len);
	run->function[len] = '\0';
}

bool stack_library_next(struct stacks *st, const struct stacks_thread *t, struct library_run *run)
{
	uint32_t i = run->end;

	while (i < t->n_frames && !is_library(t, i))
		i++;
	if (i >= t->n_frames)
		return false;
	run->first = i;
	run->end = stack_library_skip(t, i);
	set_function(st, t, run);
	return true;
}
