/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A hash table of numbers: the indices of items in an array of the caller. The caller computes the hashes and compares
 * the items. Open addressing with linear probing; a removal moves entries back, so that no markers stay.
 *
 *	hash_for_each(i, &names->index, hash_text(name)) {
 *		if (!strcmp(names->items[i], name))
 *			return i;
 *	}
 */
#ifndef OMPDD_BASE_HASH_H
#define OMPDD_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	uint32_t number; /* the item's number + 1; 0: the slot is free */
};

/* All zeroes is a valid empty table. */
struct hash {
	struct hash_slot *slots;
	uint32_t n;
	uint32_t cap; /* 0 or a power of two */
};

#define HASH_NONE UINT32_MAX

/* Return a hash of @number; combine two with hash_number((uint64_t)a << 32 | b). */
static inline uint32_t hash_number(uint64_t number)
{
	return (uint32_t)((number ^ number >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

uint32_t hash_text(const char *text);

/* Call the body for each item with the hash @value, in the variable @it. The body must not change the table. */
#define hash_for_each(it, h, value)                                                                                    \
	for (uint32_t it##_hash = (value), it##_at = it##_hash, it;                                                    \
	     (it = hash_next((h), it##_hash, &it##_at)) != HASH_NONE;)

/* Return the next item with the hash @value from slot @*at on, or HASH_NONE; advances @*at. For hash_for_each(). */
static inline uint32_t hash_next(const struct hash *h, uint32_t value, uint32_t *at)
{
	while (h->cap) {
		const struct hash_slot *slot = &h->slots[(*at)++ & (h->cap - 1)];

		if (!slot->number)
			break;
		if (slot->hash == value)
			return slot->number - 1;
	}
	return HASH_NONE;
}

/* Add item @it (below HASH_NONE) with the hash @value. Returns false if memory is out; the table is unchanged then. */
bool hash_add(struct hash *h, uint32_t value, uint32_t it);

/* Remove item @it, which was added with the hash @value. Does nothing if it is absent. */
void hash_remove(struct hash *h, uint32_t value, uint32_t it);

/* Remove all items, and keep the memory. */
void hash_clear(struct hash *h);

void hash_deinit(struct hash *h);

#endif
