/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of stacks, and the comparison that merges equal ones. */
#include "openmp/stacks/stack_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "openmp/stacks/stack_device.h"

/* Limit for boundaries and folded frames of a list, in addition to its frames. */
#define MAX_OTHER_ITEMS 2048

void stack_list_deinit(struct stack_list *l)
{
	free(l->items);
	*l = (struct stack_list){0};
}

struct stack_item *stack_list_add(const struct stacks *st, struct stack_list *l)
{
	if (!VECTOR_GROW(l->items, l->n, l->cap))
		return NULL;
	if (l->n >= st->max_frames + MAX_OTHER_ITEMS) {
		l->end = STACK_CUT;
		return NULL;
	}
	l->items[l->n] = (struct stack_item){
		.device = STACK_DEVICE_NONE, .task = SNAPSHOT_NONE, .parallel = SNAPSHOT_NONE, .number = -1};
	return &l->items[l->n++];
}

struct error *stack_list_physical(struct stacks *st, size_t i, struct stack_list *ret)
{
	const struct stacks_thread *t = stacks_thread(st, i);
	struct stack_list l = {0};
	int32_t device = STACK_DEVICE_NONE;

	if (!t)
		return &error_nomem;
	l.end = t->end;
	uint32_t n_device = stack_device_find_code(st, i, &device);
	for (uint32_t k = 0; k < t->n_frames; k++) {
		struct stack_item *item = stack_list_add(st, &l);

		if (!item)
			break;
		item->kind = ITEM_FRAME;
		item->place = t->frames[k].place;
		item->frame_kind = t->frames[k].kind;
		item->sp = t->frames[k].sp;
		item->from = t->frames[k].from;
		item->to = t->frames[k].to;
		if (k < n_device)
			item->device = device;
	}
	*ret = l;
	return NULL;
}

/* Groups */

static bool is_same_item(const struct stack_item *a, const struct stack_item *b)
{
	return a->kind == b->kind && a->place == b->place && a->frame_kind == b->frame_kind && a->from == b->from &&
	       a->to == b->to && a->device == b->device;
}

static bool is_same_list(const struct stack_list *a, const struct stack_list *b)
{
	if (a->n != b->n || a->end != b->end || a->is_lost != b->is_lost)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		if (!is_same_item(&a->items[i], &b->items[i]))
			return false;
	}
	return true;
}

static uint64_t hash_list(const struct stack_list *l)
{
	uint64_t h = l->n * 31u + (uint64_t)l->end;

	for (uint32_t i = 0; i < l->n; i++)
		h = (h ^ (uint64_t)(uintptr_t)l->items[i].place ^ (uint64_t)l->items[i].kind) * 0x9e3779b97f4a7c15u;
	return h;
}

static bool add_thread(struct stack_group *g, uint32_t thread)
{
	if (!VECTOR_GROW(g->threads, g->n_threads, g->cap))
		return false;
	g->threads[g->n_threads++] = thread;
	return true;
}

/* Merge a list that equals that of @g: note the regions that differ, and destroy the list. */
static void merge_list(struct stack_group *g, struct stack_list *l TAKES)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->items[i].parallel != g->list.items[i].parallel)
			g->same_parallel[i] = false;
	}
	stack_list_deinit(l);
}

static struct stack_group *find_group(struct stack_groups *groups, const struct stack_list *l, uint64_t hash)
{
	for (size_t i = 0; i < groups->n; i++) {
		if (groups->groups[i].hash == hash && is_same_list(&groups->groups[i].list, l))
			return &groups->groups[i];
	}
	return NULL;
}

static struct stack_group *add_group(struct stack_groups *groups, struct stack_list *l TAKES, uint64_t hash)
{
	bool *same = malloc(l->n ? l->n : 1);

	if (!same || !VECTOR_GROW(groups->groups, groups->n, groups->cap)) {
		free(same);
		stack_list_deinit(l);
		return NULL;
	}
	memset(same, true, l->n);
	groups->groups[groups->n] = (struct stack_group){.list = *l, .same_parallel = same, .hash = hash};
	return &groups->groups[groups->n++];
}

void stack_groups_deinit(struct stack_groups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		stack_list_deinit(&g->groups[i].list);
		free(g->groups[i].threads);
		free(g->groups[i].same_parallel);
	}
	free(g->groups);
	*g = (struct stack_groups){0};
}

struct error *stack_groups_make(struct stacks *st, bool logical, struct stack_groups *ret)
{
	struct stack_groups groups = {0};

	for (size_t i = 0; i < st->n_threads; i++) {
		struct stack_list l;
		if (st->threads[i].is_elsewhere)
			continue;
		struct error *err = logical ? stack_list_logical(st, i, &l) : stack_list_physical(st, i, &l);

		if (err) {
			stack_groups_deinit(&groups);
			return err;
		}
		uint64_t hash = hash_list(&l);
		struct stack_group *g = find_group(&groups, &l, hash);
		if (g)
			merge_list(g, &l);
		else
			g = add_group(&groups, &l, hash);
		if (!g || !add_thread(g, (uint32_t)i)) {
			stack_groups_deinit(&groups);
			return &error_nomem;
		}
	}
	*ret = groups;
	return NULL;
}
