/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables: search, creation, and transfer to later threads. */
#include "core/region_count.h"

#include <stdbool.h>

#include "core/root.h"
#include "os/memory.h"

#define FIRST_CAPACITY 32u

struct region_count region_count_none;

/* The first index of the search. */
static uint32_t place_of(const struct region_counts *table, uint64_t fn, uint32_t level)
{
	return (uint32_t)((fn + level) * 0x9e3779b97f4a7c15u >> 32) & (table->capacity - 1);
}

/* Returns the entry, or the free entry for it. */
static struct region_count *look(struct region_counts *table, uint64_t fn, uint32_t level)
{
	uint32_t i = place_of(table, fn, level);

	while (table->entries[i].fn && (table->entries[i].fn != fn || table->entries[i].level != level))
		i = (i + 1) & (table->capacity - 1);
	return &table->entries[i];
}

static struct region_counts *make(uint32_t capacity, struct region_counts *smaller)
{
	struct region_counts *table = memory_zalloc_line(sizeof(*table) + capacity * sizeof(struct region_count));

	table->capacity = capacity;
	table->smaller = smaller;
	table->is_owned = 1;
	table->next = __atomic_load_n(&runtime_root.region_counts, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&runtime_root.region_counts, &table->next, table, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		continue;
	return table;
}

/* Returns the tables of a thread that has ended, or new ones. */
static struct region_counts *take(void)
{
	struct region_counts *table = __atomic_load_n(&runtime_root.region_counts, __ATOMIC_ACQUIRE);

	for (; table; table = table->next) {
		uint32_t is_owned = 0;

		if (!__atomic_load_n(&table->is_owned, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&table->is_owned, &is_owned, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return table;
	}
	return make(FIRST_CAPACITY, NULL);
}

struct region_count *region_count_find(struct thread *t, uint64_t fn, uint32_t level)
{
	struct region_count *entry;

	if (!t->counts)
		t->counts = take();
	for (struct region_counts *table = t->counts; table; table = table->smaller) {
		entry = look(table, fn, level);
		if (entry->fn)
			return t->counted = entry;
	}
	/* Smaller tables stay owned: later threads find only the largest one. */
	if (t->counts->n_used >= t->counts->capacity / 4 * 3)
		t->counts = make(t->counts->capacity * 2, t->counts);
	entry = look(t->counts, fn, level);
	entry->level = level;
	t->counts->n_used++;
	__atomic_store_n(&entry->fn, fn, __ATOMIC_RELEASE);
	return t->counted = entry;
}

void region_count_leave(struct thread *t)
{
	if (t->counts)
		__atomic_store_n(&t->counts->is_owned, 0, __ATOMIC_RELEASE);
	t->counts = NULL;
	t->counted = &region_count_none;
}
