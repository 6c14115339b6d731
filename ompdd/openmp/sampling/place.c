/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts the names of functions, variables and frames into the tally's table. */
#include "openmp/sampling/place.h"

#include "openmp/stacks/stacks.h"
#include "target/modules/modules.h"
#include "target/source/demangle.h"
#include "target/source/source.h"

#define MAX_SYMBOL (DEMANGLE_MAX_MANGLED + 2)

static uint32_t add_function(struct tally *t, const char *symbol)
{
	return texts_add(&t->texts, symbol ? demangle_or_same(symbol) : NULL);
}

struct tally_place place_of_source(struct tally *t, const struct source_place *source)
{
	return (struct tally_place){
		.function = add_function(t, source->function),
		.file = texts_add(&t->texts, source->file),
		.line = source->file && source->line > 0 ? source->line : 0,
	};
}

struct tally_place place_of_function(struct tally *t, struct target *target, uint64_t address)
{
	struct tally_place place = {0};
	struct source source;
	char symbol[MAX_SYMBOL];
	uint64_t offset;

	source_find(target, address, true, &source);
	/* The first instruction may belong to an inlined function: the symbol names the function itself. */
	place = place_of_source(t, &source.places[source.n_places - 1]);
	source_deinit(&source);
	if (target_symbol_at(target, address, symbol, sizeof(symbol), &offset) && offset == 0)
		place.function = add_function(t, symbol);
	return place;
}

uint32_t place_variable(struct tally *t, struct target *target, uint64_t address, uint64_t *offset_ret)
{
	char symbol[MAX_SYMBOL];

	return target_object_at(target, address, symbol, sizeof(symbol), offset_ret) ? add_function(t, symbol)
										     : TEXTS_NONE;
}

size_t place_frames(struct tally *t, struct stacks *st, const struct stacks_frame *frame, uint32_t *ret)
{
	static const enum tree_frame_kind kinds[FRAME_KINDS] = {TREE_USER, TREE_RUNTIME, TREE_START};
	const struct source *source = stacks_source(st, frame->place);
	uint32_t module = texts_add(&t->texts, source->module ? source->module->path : NULL);
	size_t n = 0;

	for (int i = (frame->to ? frame->to : source->n_places) - 1; i >= frame->from; i--) {
		struct tally_place place = place_of_source(t, &source->places[i]);

		ret[n++] = stack_tree_frame(&t->tree, &(struct tree_frame){
							      .kind = kinds[frame->kind],
							      .function = place.function,
							      .file = place.file,
							      .line = place.line,
							      .module = module,
						      });
	}
	return n;
}

uint32_t place_boundary(struct tally *t, enum tree_frame_kind kind, const struct tally_place *function)
{
	return stack_tree_frame(&t->tree, &(struct tree_frame){
						  .kind = kind,
						  .function = function->function,
						  .file = function->file,
						  .line = function->line,
					  });
}

uint32_t place_construct(struct tally *t, struct stacks *st, struct stacks_place *entry)
{
	struct tally_place place = place_of_source(t, &stacks_source(st, entry)->places[0]);

	return stack_tree_frame(&t->tree, &(struct tree_frame){
						  .kind = TREE_CONSTRUCT,
						  .function = texts_add(&t->texts, entry->callee),
						  .file = place.file,
						  .line = place.line,
					  });
}
