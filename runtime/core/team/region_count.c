/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables: search, creation, and transfer to later threads. */
#include "core/team/region_count.h"

#include <stdbool.h>

#include "os/memory.h"

#define FIRST_CAPACITY 32u

/* The first index of the search. */
static uint32_t get_index(const struct region_counts *table, uint64_t fn, uint32_t level)
{
	return (uint32_t)((fn + level) * 0x9e3779b97f4a7c15u >> 32) & (table->capacity - 1);
}

/* Returns the entry, or the free entry for it. */
static struct region_count *find_entry(struct region_counts *table, uint64_t fn, uint32_t level)
{
	uint32_t i = get_index(table, fn, level);

	while (table->entries[i].fn && (table->entries[i].fn != fn || table->entries[i].level != level))
		i = (i + 1) & (table->capacity - 1);
	return &table->entries[i];
}

static struct region_counts *create_table(uint32_t capacity, struct region_counts *smaller)
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
static struct region_counts *take_table(void)
{
	struct region_counts *table = __atomic_load_n(&runtime_root.region_counts, __ATOMIC_ACQUIRE);

	for (; table; table = table->next) {
		uint32_t is_owned = 0;

		if (!__atomic_load_n(&table->is_owned, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&table->is_owned, &is_owned, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return table;
	}
	return create_table(FIRST_CAPACITY, NULL);
}

struct region_count *region_count_find(struct thread *t, uint64_t fn, uint32_t level)
{
	struct region_count *entry;

	if (!t->counts)
		t->counts = take_table();
	for (struct region_counts *table = t->counts; table; table = table->smaller) {
		entry = find_entry(table, fn, level);
		if (entry->fn)
			return t->counted = entry;
	}
	/* Smaller tables stay owned: later threads find only the largest one. */
	if (t->counts->n_used >= t->counts->capacity / 4 * 3)
		t->counts = create_table(t->counts->capacity * 2, t->counts);
	entry = find_entry(t->counts, fn, level);
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
