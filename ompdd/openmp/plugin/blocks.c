/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The set of live blocks: an open-addressing hash by address, with backward shift deletion. */
#include "openmp/plugin/blocks.h"

#include <stdint.h>
#include <stdlib.h>

#define BLOCKS_FIRST_CAP 256

struct block {
	void *p;
	size_t size;
	unsigned owner;
};

static struct block *table;
static size_t cap, count, bytes;
static unsigned present;

void blocks_set_owner(unsigned owner)
{
	present = owner;
}

static size_t hash_pointer(const void *p, size_t capacity)
{
	/* malloc's blocks are 16-aligned */
	return (size_t)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

static size_t find_slot(const void *p)
{
	size_t i = hash_pointer(p, cap);

	while (table[i].p && table[i].p != p)
		i = (i + 1) & (cap - 1);
	return i;
}

static bool grow_table(void)
{
	size_t old_cap = cap, new_cap = cap ? cap * 2 : BLOCKS_FIRST_CAP;
	struct block *old = table, *bigger = calloc(new_cap, sizeof(*bigger));

	if (!bigger)
		return false;
	table = bigger;
	cap = new_cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].p)
			table[find_slot(old[i].p)] = old[i];
	free(old);
	return true;
}

void *blocks_alloc(size_t size)
{
	if (size > BLOCKS_MAX_BYTES - bytes)
		return NULL;
	if ((!table || count * 2 >= cap) && !grow_table())
		return NULL;
	void *p = calloc(1, size ? size : 1);

	if (!p)
		return NULL;
	table[find_slot(p)] = (struct block){p, size, present};
	count++;
	bytes += size;
	return p;
}

static void remove_slot(size_t hole)
{
	for (size_t i = (hole + 1) & (cap - 1); table[i].p; i = (i + 1) & (cap - 1)) {
		size_t home = hash_pointer(table[i].p, cap);

		/* Move up each entry that a search would no longer find after the hole. */
		if (((i - home) & (cap - 1)) >= ((i - hole) & (cap - 1))) {
			table[hole] = table[i];
			hole = i;
		}
	}
	table[hole].p = NULL;
}

bool blocks_free(void *p)
{
	if (!p || !table)
		return false;
	size_t i = find_slot(p);

	if (!table[i].p)
		return false;
	bytes -= table[i].size;
	count--;
	remove_slot(i);
	free(p);
	return true;
}

void blocks_free_all(void)
{
	size_t i = 0;

	while (i < cap) {
		/* blocks_free() may move another entry into this slot: check the slot again. */
		if (!table[i].p || table[i].owner != present || !blocks_free(table[i].p))
			i++;
	}
	if (count > 0)
		return;
	free(table);
	table = NULL;
	cap = 0;
}

bool blocks_size(const void *p, size_t *ret)
{
	if (!p || !table)
		return false;
	size_t i = find_slot(p);

	if (!table[i].p)
		return false;
	*ret = table[i].size;
	return true;
}

size_t blocks_count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < cap; i++)
		n += table[i].p && table[i].owner == present;
	return n;
}
