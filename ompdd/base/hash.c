/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds and removes entries of a hash table. At most two thirds of its slots are used. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 32

uint32_t hash_text(const char *text)
{
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return (uint32_t)(h ^ h >> 32);
}

static void put_slot(struct hash *h, struct hash_slot slot)
{
	uint32_t at = slot.hash & (h->cap - 1);

	while (h->slots[at].number)
		at = (at + 1) & (h->cap - 1);
	h->slots[at] = slot;
}

static bool grow_table(struct hash *h)
{
	struct hash bigger = {.n = h->n, .cap = h->cap ? h->cap * 2 : FIRST_CAP};

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (uint32_t i = 0; i < h->cap; i++) {
		if (h->slots[i].number)
			put_slot(&bigger, h->slots[i]);
	}
	free(h->slots);
	*h = bigger;
	return true;
}

bool hash_add(struct hash *h, uint32_t value, uint32_t it)
{
	if (h->n >= h->cap / 3 * 2 && !grow_table(h))
		return false;
	put_slot(h, (struct hash_slot){value, it + 1});
	h->n++;
	return true;
}

void hash_remove(struct hash *h, uint32_t value, uint32_t it)
{
	const uint32_t mask = h->cap - 1;
	uint32_t hole = value & mask;

	if (!h->cap)
		return;
	while (h->slots[hole].number != it + 1) {
		if (!h->slots[hole].number)
			return;
		hole = (hole + 1) & mask;
	}
	/* Move each later entry into the hole that a search would no longer find behind it. */
	for (uint32_t at = (hole + 1) & mask; h->slots[at].number; at = (at + 1) & mask) {
		uint32_t home = h->slots[at].hash & mask;

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			h->slots[hole] = h->slots[at];
			hole = at;
		}
	}
	h->slots[hole].number = 0;
	h->n--;
}

void hash_clear(struct hash *h)
{
	if (h->n)
		memset(h->slots, 0, h->cap * sizeof(*h->slots));
	h->n = 0;
}

void hash_deinit(struct hash *h)
{
	free(h->slots);
	*h = (struct hash){0};
}
