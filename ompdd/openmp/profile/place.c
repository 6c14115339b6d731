/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions, variables and frames, put into the tally's table. */
#include "openmp/profile/place.h"

#include <omp-tools.h>

#include "openmp/stacks/stack_list.h"
#include "target/demangle.h"
#include "target/source.h"

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
	/* What is inlined at its first instruction is not it. */
	place = place_of_source(t, &source.places[source.n_places - 1]);
	source_deinit(&source);
	if (target_symbol_at(target, address, symbol, sizeof(symbol), &offset) && offset == 0)
		place.function = add_function(t, symbol);
	return place;
}

uint32_t place_variable(struct tally *t, struct target *target, uint64_t address)
{
	char symbol[MAX_SYMBOL];
	uint64_t offset;

	return target_object_at(target, address, symbol, sizeof(symbol), &offset) ? add_function(t, symbol)
										  : TEXTS_NONE;
}

static uint32_t child(struct tally *t, uint32_t parent, const struct tree_frame *frame)
{
	uint32_t node = stack_tree_child(&t->tree, parent, stack_tree_frame(&t->tree, frame));

	return node;
}

/* Outermost first: the function itself, then what was inlined into it there. */
static uint32_t add_frame(struct tally *t, struct stacks *st, const struct stack_item *item, uint32_t parent)
{
	static const enum tree_frame_kind kinds[FRAME_KINDS] = {TREE_USER, TREE_RUNTIME, TREE_START};
	const struct source *source = stacks_source(st, item->place);
	int to = item->to ? item->to : source->n_places;

	for (int i = to - 1; i >= item->from; i--) {
		struct tally_place place = place_of_source(t, &source->places[i]);
		uint32_t node =
			child(t, parent,
			      &(struct tree_frame){
				      .kind = kinds[item->frame_kind],
				      .function = place.function,
				      .file = place.file,
				      .line = place.line,
				      .module = texts_add(&t->texts, source->module ? source->module->path : NULL),
			      });
		if (node == UINT32_MAX)
			return node;
		parent = node;
	}
	return parent;
}

static uint32_t add_boundary(struct tally *t, struct stacks *st, const struct stack_item *item, uint32_t parent)
{
	const struct snapshot_word *function = &st->s->tasks[item->task].function;
	struct tree_frame frame = {.kind = item->kind == ITEM_PARALLEL ? TREE_PARALLEL : TREE_TASK};

	if (item->kind == ITEM_PARALLEL && item->parallel != SNAPSHOT_NONE)
		function = &st->s->parallels[item->parallel].function;
	if (function->rc == ompd_rc_ok) {
		struct tally_place place = place_of_function(t, st->t, (uint64_t)function->value);

		frame.function = place.function;
		frame.file = place.file;
		frame.line = place.line;
	}
	return child(t, parent, &frame);
}

static uint32_t add_construct(struct tally *t, struct stacks *st, const struct stack_item *item, uint32_t parent)
{
	struct tree_frame frame = {.kind = TREE_CONSTRUCT};

	if (item->place) {
		struct tally_place place = place_of_source(t, &stacks_source(st, item->place)->places[0]);

		frame.function = texts_add(&t->texts, item->place->callee);
		frame.file = place.file;
		frame.line = place.line;
	}
	return child(t, parent, &frame);
}

uint32_t place_node(struct tally *t, struct stacks *st, const struct stack_list *list)
{
	uint32_t node = STACK_TREE_ROOT;

	for (uint32_t i = list->n; i-- > 0;) {
		const struct stack_item *item = &list->items[i];
		uint32_t inner = STACK_TREE_ROOT;

		switch (item->kind) {
		case ITEM_FRAME:
			inner = add_frame(t, st, item, node);
			break;
		case ITEM_CONSTRUCT:
			inner = add_construct(t, st, item, node);
			break;
		case ITEM_PARALLEL:
		case ITEM_TASK:
			inner = add_boundary(t, st, item, node);
			break;
		}
		/* No room: it counts for the frame further out. */
		if (inner == UINT32_MAX)
			break;
		node = inner;
	}
	return node;
}
