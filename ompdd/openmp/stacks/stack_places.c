/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Resolves program counters on stacks to module, function, line and called function. Each is resolved once for all
 * frames that share it.
 */
#include "openmp/stacks/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/runtime.h"
#include "target/call.h"

#define MAX_SYMBOL 512

static size_t find_slot(const struct stacks *st, uint64_t pc, bool is_exact)
{
	size_t i = (size_t)((pc * 2 + is_exact) * 0x9e3779b97f4a7c15u >> 20) & (st->cap_places - 1);

	while (st->places[i] && (st->places[i]->pc != pc || st->places[i]->is_exact != is_exact))
		i = (i + 1) & (st->cap_places - 1);
	return i;
}

static bool grow_places(struct stacks *st)
{
	struct stacks_place **old = st->places;
	size_t old_cap = st->cap_places, cap = old_cap ? old_cap * 2 : 256;
	struct stacks_place **bigger = calloc(cap, sizeof(*bigger));

	if (!bigger)
		return false;
	st->places = bigger;
	st->cap_places = cap;
	for (size_t i = 0; i < old_cap; i++) {
		if (old[i])
			bigger[find_slot(st, old[i]->pc, old[i]->is_exact)] = old[i];
	}
	free(old);
	return true;
}

bool stack_places_is_system(const char *path)
{
	static const char *const prefixes[] = {"libc.", "libc-",  "libpthread", "ld-",	 "libdl.",
					       "libm.", "librt.", "linux-vdso", "[vdso]"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

const char *stack_places_function(struct stacks *st, struct stacks_place *place)
{
	const struct source *source = stacks_source(st, place);

	return source->places[source->n_places - 1].function;
}

static void classify_place(struct stacks *st, struct stacks_place *place)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);
	uint64_t pc = place->pc - (place->is_exact ? 0 : 1);

	place->source.module = target_module_at(st->t, pc);
	place->module_kind = PLACE_PROGRAM;
	if (runtime && pc >= runtime->start && pc < runtime->end) {
		if (!runtime->is_executable || construct_is_runtime_name(stack_places_function(st, place)))
			place->module_kind = PLACE_RUNTIME;
	} else if (place->source.module && stack_places_is_system(place->source.module->path)) {
		place->module_kind = PLACE_SYSTEM;
	}
}

struct stacks_place *stack_places_find(struct stacks *st, uint64_t pc, bool is_exact)
{
	if (st->n_places * 2 >= st->cap_places && !grow_places(st))
		return NULL;
	size_t slot = find_slot(st, pc, is_exact);
	if (st->places[slot])
		return st->places[slot];
	struct stacks_place *place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->pc = pc;
	place->is_exact = is_exact;
	st->places[slot] = place;
	st->n_places++;
	classify_place(st, place);
	return place;
}

const struct source *stacks_source(struct stacks *st, struct stacks_place *place)
{
	if (!place->has_source) {
		source_find(st->t, place->pc, place->is_exact, &place->source);
		place->has_source = true;
	}
	return &place->source;
}

void stacks_callee(struct stacks *st, struct stacks_place *place)
{
	char name[MAX_SYMBOL];
	uint64_t offset;

	if (place->has_callee)
		return;
	place->has_callee = true;
	if (place->is_exact || !call_target(st->t, place->pc, &place->callee_address))
		return;
	if (target_symbol_at(st->t, place->callee_address, name, sizeof(name), &offset) && offset == 0)
		place->callee = strdup(name);
	place->construct = construct_of(place->callee);
}

void stack_places_deinit(struct stacks *st)
{
	for (size_t i = 0; i < st->cap_places; i++) {
		struct stacks_place *place = st->places[i];

		if (!place)
			continue;
		if (place->has_source)
			source_deinit(&place->source);
		free(place->callee);
		free(place);
	}
	free(st->places);
}
