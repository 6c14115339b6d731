/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The place of each thread of a new team by its binding policy, and the binding itself. */
#include "core/affinity/places.h"

struct placement placement_of(const struct thread *t)
{
	return (struct placement){(uint32_t)t->place, t->place_first, t->place_len};
}

/*
 * The place of thread @i of @n on @n_places, relative to the primary thread's place. As many neighbours share a place
 * as all places can have in equal number. The remaining threads go round once more. Only for @n > @n_places.
 */
static uint32_t get_shared_place(uint32_t i, uint32_t n, uint32_t n_places)
{
	uint32_t each = n / n_places;

	return i < each * n_places ? i / each : i - each * n_places;
}

/* The start of part @k of @n things in @parts. The first parts may be greater by one. */
static uint32_t get_part_begin(uint32_t k, uint32_t n, uint32_t parts)
{
	uint32_t size = n / parts, greater = n % parts;

	return k * size + (k < greater ? k : greater);
}

/* Returns the part that contains thing @i. */
static uint32_t get_part(uint32_t i, uint32_t n, uint32_t parts)
{
	uint32_t size = n / parts, greater = n % parts;

	if (i < greater * (size + 1))
		return i / (size + 1);
	return greater + (i - greater * (size + 1)) / size;
}

struct placement places_assign(enum bind bind, struct placement primary, uint32_t n_threads, uint32_t thread_num)
{
	struct placement result = primary;
	uint32_t len = primary.len;

	if (!primary.place || !len)
		return primary;

	uint32_t here = primary.place - 1 - primary.first;
	switch (bind) {
	case BIND_TRUE:
	case BIND_CLOSE:
		here += n_threads > len ? get_shared_place(thread_num, n_threads, len) : thread_num;
		result.place = primary.first + here % len + 1;
		break;
	case BIND_SPREAD:
		if (n_threads > len) {
			here = (here + get_shared_place(thread_num, n_threads, len)) % len;
			result = (struct placement){primary.first + here + 1, primary.first + here, 1};
		} else {
			uint32_t part = (get_part(here, len, n_threads) + thread_num) % n_threads;
			uint32_t begin = get_part_begin(part, len, n_threads);

			result.first = primary.first + begin;
			result.len = get_part_begin(part + 1, len, n_threads) - begin;
			/* The encountering thread keeps its place. */
			if (thread_num)
				result.place = result.first + 1;
		}
		break;
	case BIND_PRIMARY:
	case BIND_FALSE:
		break;
	}
	return result;
}

void places_bind(struct thread *t, struct placement where)
{
	t->place_first = where.first;
	t->place_len = where.len;
	if ((uint32_t)t->place == where.place)
		return;
	t->place = (int32_t)where.place;
	/* This fails for CPUs of GOMP_CPU_AFFINITY that the process may not use. The thread then keeps its CPUs. */
	if (where.place)
		sched_setaffinity(0, places.set_size, place_list_get(&places, where.place - 1));
}

void places_bind_root(struct thread *t)
{
	if (!places.n || t->place)
		return;
	places_bind(t, (struct placement){1, 0, places.n});
}
