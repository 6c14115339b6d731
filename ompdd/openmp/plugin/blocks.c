/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The set of live blocks: an array, and a hash over it. */
#include "openmp/plugin/blocks.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vector.h"

struct block {
	void *p;
	size_t size;
	unsigned owner;
};

static struct block *blocks;
static uint32_t n_blocks, cap_blocks;
static struct hash index_of; /* of the blocks, by address */
static size_t bytes;
static unsigned present;

void blocks_set_owner(unsigned owner)
{
	present = owner;
}

static uint32_t hash_address(const void *p)
{
	return hash_number((uintptr_t)p);
}

/* Return the number of the block @p, or HASH_NONE. */
static uint32_t find_block(const void *p)
{
	hash_for_each(i, &index_of, hash_address(p))
	{
		if (blocks[i].p == p)
			return i;
	}
	return HASH_NONE;
}

void *blocks_alloc(size_t size)
{
	if (size > BLOCKS_MAX_BYTES - bytes || !VECTOR_GROW(blocks, n_blocks, cap_blocks))
		return NULL;
	void *p = calloc(1, size ? size : 1);

	if (!p || !hash_add(&index_of, hash_address(p), n_blocks)) {
		free(p);
		return NULL;
	}
	blocks[n_blocks++] = (struct block){p, size, present};
	bytes += size;
	return p;
}

/* Remove block @i: the last one takes its number. */
static void remove_block(uint32_t i)
{
	void *p = blocks[i].p, *last = blocks[n_blocks - 1].p;

	bytes -= blocks[i].size;
	hash_remove(&index_of, hash_address(p), i);
	blocks[i] = blocks[--n_blocks];
	if (i < n_blocks) {
		hash_remove(&index_of, hash_address(last), n_blocks);
		hash_add(&index_of, hash_address(last), i); /* in the room of the removed ones */
	}
	free(p);
}

bool blocks_free(void *p)
{
	uint32_t i = find_block(p);

	if (i == HASH_NONE)
		return false;
	remove_block(i);
	return true;
}

void blocks_free_all(void)
{
	for (uint32_t i = n_blocks; i-- > 0;) {
		if (blocks[i].owner == present)
			remove_block(i);
	}
	if (n_blocks > 0)
		return;
	free(blocks);
	blocks = NULL;
	cap_blocks = 0;
	hash_deinit(&index_of);
}

bool blocks_size(const void *p, size_t *ret)
{
	uint32_t i = find_block(p);

	if (i == HASH_NONE)
		return false;
	*ret = blocks[i].size;
	return true;
}

size_t blocks_count(void)
{
	size_t n = 0;

	for (uint32_t i = 0; i < n_blocks; i++)
		n += blocks[i].owner == present;
	return n;
}
