/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Resolves program counters on stacks to module, function, line and called function. Each is resolved once for all
 * frames that share it.
 */
#include "base/path.h"
#include "openmp/stacks/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "target/modules/modules.h"
#include "target/unwind/call.h"

#define MAX_SYMBOL 512

bool stack_places_is_system(const char *path)
{
	static const char *const prefixes[] = {"libc.", "libc-",  "libpthread", "ld-",	 "libdl.",
					       "libm.", "librt.", "linux-vdso", "[vdso]"};
	const char *name = path_file_name(path);

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
	} else if (place->source.module && offload_is_of_runtime(place->source.module->path)) {
		place->module_kind = PLACE_RUNTIME;
	} else if (place->source.module && (stack_places_is_system(place->source.module->path) ||
					    offload_is_driver(place->source.module->path))) {
		place->module_kind = PLACE_SYSTEM;
	}
}

struct stacks_place *stack_places_find(struct stacks *st, uint64_t pc, bool is_exact)
{
	uint32_t hash = hash_number(pc * 2 + is_exact);

	hash_for_each(i, &st->places_index, hash)
	{
		if (st->places[i]->pc == pc && st->places[i]->is_exact == is_exact)
			return st->places[i];
	}
	struct stacks_place *place =
		VECTOR_GROW(st->places, st->n_places, st->cap_places) ? calloc(1, sizeof(*place)) : NULL;
	if (!place || !hash_add(&st->places_index, hash, st->n_places)) {
		free(place);
		return NULL;
	}
	place->pc = pc;
	place->is_exact = is_exact;
	st->places[st->n_places++] = place;
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
	for (uint32_t i = 0; i < st->n_places; i++) {
		struct stacks_place *place = st->places[i];

		if (place->has_source)
			source_deinit(&place->source);
		free(place->callee);
		free(place);
	}
	free(st->places);
	hash_deinit(&st->places_index);
}
