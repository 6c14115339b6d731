/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the addresses of mapped objects with the variables of all stacks and with the pointers of the program. */
#include "openmp/devices/map_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cpu_budget.h"
#include "base/vector.h"
#include "openmp/devices/devices.h"
#include "target/modules/modules.h"
#include "target/source/variables.h"
#include "target/unwind/stack.h"

/* Threads whose stacks are copied with large arrays on them. More would lengthen the stop. */
#define MAX_WHOLE 16

struct search {
	struct target *t;
	struct devices *d;
	pid_t tid;
	/* While the variable that covers an object is searched. */
	struct device_map *map;
	size_t n_frames;
};

static void free_pointers(struct map_names *n)
{
	while (n->n_pointers) {
		free(n->pointers[--n->n_pointers].name);
		free(n->pointers[n->n_pointers].file);
	}
	free(n->pointers);
}

void map_names_deinit(struct map_names *n)
{
	stack_copies_deinit(&n->copies);
	free_pointers(n);
	*n = (struct map_names){0};
}

/* Return whether no symbol can name the object: it is in no program or library. */
static bool lacks_name(struct target *t, const struct device_map *map)
{
	return (!map->name || map->name->is_candidate) && !target_module_at(t, map->host);
}

static bool has_unnamed(struct target *t, const struct devices *d)
{
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < d->list[i].n_maps; k++) {
			if (!d->list[i].maps[k].name && lacks_name(t, &d->list[i].maps[k]))
				return true;
		}
	}
	return false;
}

/* Read the listed pointers. One that cannot be read has no value. */
static struct error *read_pointers(struct target *t, struct map_names *n)
{
	for (size_t i = 0; i < n->n_pointers; i++) {
		struct map_names_pointer *pointer = &n->pointers[i];
		struct error *err = target_read(t, pointer->address, &pointer->value, sizeof(pointer->value));

		if (error_catch(&err, ERR_MEMORY_UNREADABLE) || error_catch(&err, ERR_CORE_MEMORY_LEFT_OUT))
			pointer->value = 0;
		if (err)
			return err;
	}
	return NULL;
}

struct error *map_names_take(struct target *t, const struct devices *d, struct map_names *n)
{
	const struct target_thread *threads;
	size_t n_threads;

	stack_copies_deinit(&n->copies);
	n->has_copies = false;
	if (!has_unnamed(t, d))
		return NULL;
	struct error *err = target_threads(t, &threads, &n_threads);
	if (err)
		return err;
	_cleanup_free_ pid_t *tids = calloc(n_threads + 1, sizeof(*tids));
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < n_threads; i++)
		tids[i] = threads[i].tid;
	err = stack_copies_take(t, tids, n_threads, n_threads > MAX_WHOLE ? STACK_COPY_MANY : STACK_COPY_ONE,
				&n->copies);
	n->has_copies = !err;
	return err ? err : read_pointers(t, n);
}

/* Give @map the name of @v, at @offset in it. */
static void set_name(struct device_map *map, const struct variable *v, pid_t tid, uint64_t offset, bool is_candidate)
{
	struct device_name *name = devices_create_name(v->name, v->function, v->file, v->line);

	if (!name)
		return;
	name->tid = tid;
	name->offset = offset;
	name->is_candidate = is_candidate;
	devices_destroy_name(map->name);
	map->name = name;
}

static bool covers_object(const struct variable *v, void *arg)
{
	const struct search *s = arg;
	struct device_map *map = s->map;

	/* An array whose bounds the compiler has removed is recognised by its first element. */
	if (!(v->has_open_end && map->host == v->address) &&
	    (v->size < map->size || map->host < v->address || map->host - v->address > v->size - map->size))
		return true;
	set_name(map, v, s->tid, map->host - v->address, false);
	return false;
}

/* Name the objects that the variable @v of a frame, a pointer, refers to. */
static bool points_to_objects(const struct variable *v, void *arg)
{
	const struct search *s = arg;

	for (size_t i = 0; v->has_target && v->target && i < s->d->n; i++) {
		struct device *device = &s->d->list[i];

		for (size_t k = 0; k < device->n_maps; k++) {
			struct device_map *map = &device->maps[k];
			uint64_t base = map->base ? map->base : map->host;

			if (base != v->target || map->name || !lacks_name(s->t, map))
				continue;
			set_name(map, v, s->tid, map->host - base, true);
		}
	}
	return true;
}

/* Return the number of the frame of @stack whose part of the stack has @address, or the number of frames. */
static size_t find_frame(const struct stack *stack, uint64_t address)
{
	for (size_t k = 0; k + 1 < stack->n; k++) {
		if (stack->frames[k].sp && address >= stack->frames[k].sp && address < stack->frames[k + 1].sp)
			return k;
	}
	/* The last frame's end is not known if its caller is not. */
	return stack->n && stack->frames[stack->n - 1].sp && address >= stack->frames[stack->n - 1].sp ? stack->n - 1
												       : stack->n;
}

/* Name the objects on the stack of @copy. */
static void name_locals(struct search *s, const struct stack_copy *copy, const struct stack *stack)
{
	for (size_t i = 0; i < s->d->n; i++) {
		for (size_t k = 0; k < s->d->list[i].n_maps && !cpu_budget_is_spent(); k++) {
			struct device_map *map = &s->d->list[i].maps[k];
			size_t frame = lacks_name(s->t, map) ? find_frame(stack, map->host) : stack->n;

			if (frame == stack->n)
				continue;
			s->map = map;
			variables_visit_frame(s->t, copy, stack, frame, covers_object, s);
		}
	}
}

static void name_by_pointers(struct search *s, const struct stack_copy *copy, const struct stack *stack)
{
	for (size_t k = 0; k < stack->n && s->n_frames < MAP_NAMES_MAX_FRAMES && !cpu_budget_is_spent(); k++) {
		s->n_frames++;
		variables_visit_frame(s->t, copy, stack, k, points_to_objects, s);
	}
}

static void name_by_global_pointers(struct search *s, const struct map_names *n)
{
	s->tid = 0;
	for (size_t i = 0; i < n->n_pointers; i++) {
		const struct map_names_pointer *pointer = &n->pointers[i];
		const struct variable v = {.name = pointer->name,
					   .file = pointer->file,
					   .line = pointer->line,
					   .is_pointer = true,
					   .has_target = true,
					   .target = pointer->value};

		points_to_objects(&v, s);
	}
}

static bool list_pointer(const struct variable *v, void *arg)
{
	struct map_names *n = arg;

	if (n->n_pointers == MAP_NAMES_MAX_POINTERS || !VECTOR_GROW(n->pointers, n->n_pointers, n->cap_pointers))
		return false;
	struct map_names_pointer *pointer = &n->pointers[n->n_pointers];
	*pointer = (struct map_names_pointer){.name = strdup(v->name),
					      .file = v->file ? strdup(v->file) : NULL,
					      .line = v->line,
					      .address = v->address};
	if (!pointer->name)
		return false;
	n->n_pointers++;
	return true;
}

/* Prepare another view. Return whether it may show more. */
static bool prepare_view(struct target *t, struct map_names *n, const bool *lacks_registers)
{
	bool is_useful = false;

	for (size_t i = 0; i < n->copies.n && target_mode(t) == TARGET_STOP; i++) {
		const struct stack_copy *copy = &n->copies.copies[i];

		if (!lacks_registers[i] || !copy->registers.known || copy->registers.known == TARGET_ALL_REGISTERS)
			continue;
		target_need_registers(t, copy->tid);
		is_useful = true;
	}
	if (n->has_pointers)
		return is_useful;
	n->has_pointers = true;
	variables_visit_global_pointers(t, list_pointer, n);
	return is_useful || n->n_pointers;
}

bool map_names_fill(struct target *t, struct map_names *n, struct devices *d)
{
	struct search s = {.t = t, .d = d};
	_cleanup_free_ struct stack *stacks = NULL;
	_cleanup_free_ bool *lacks_registers = NULL;

	if (!n->has_copies || !has_unnamed(t, d))
		return false;
	stacks = calloc(n->copies.n + 1, sizeof(*stacks));
	lacks_registers = calloc(n->copies.n + 1, sizeof(*lacks_registers));
	if (!stacks || !lacks_registers)
		return false;
	for (size_t i = 0; i < n->copies.n; i++) {
		const struct stack_copy *copy = &n->copies.copies[i];

		stack_unwind(t, copy, STACK_MAX_FRAMES, &stacks[i]);
		lacks_registers[i] = stacks[i].end == STACK_FEW_REGISTERS;
		s.tid = copy->tid;
		if (!copy->moved)
			name_locals(&s, copy, &stacks[i]);
	}
	for (size_t i = 0; i < n->copies.n && has_unnamed(t, d); i++) {
		s.tid = n->copies.copies[i].tid;
		if (!n->copies.copies[i].moved)
			name_by_pointers(&s, &n->copies.copies[i], &stacks[i]);
	}
	name_by_global_pointers(&s, n);
	for (size_t i = 0; i < n->copies.n; i++)
		stack_deinit(&stacks[i]);
	return has_unnamed(t, d) && prepare_view(t, n, lacks_registers);
}
