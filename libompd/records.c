/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing array of records, and a hash table of their numbers. */
#include "records.h"

#include <string.h>

#include "callbacks.h"

#define FIRST_SLOTS 64

static uint8_t *get_record(const struct records *r, size_t number)
{
	return r->all + number * r->size;
}

/* Return the slot where the search for the key at @key starts. */
static size_t hash_key(const struct records *r, const void *key)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i < r->key_size; i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)key + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	}
	return hash >> 32 & (r->n_slots - 1);
}

/* Return the slot with the key at @key, or the free slot where it belongs. */
static size_t find_slot(const struct records *r, const void *key)
{
	size_t i = hash_key(r, key);

	while (r->slots[i] && memcmp(get_record(r, r->slots[i] - 1), key, r->key_size) != 0)
		i = (i + 1) & (r->n_slots - 1);
	return i;
}

void *records_find(const struct records *r, const void *key)
{
	if (!r->n_slots)
		return NULL;
	uint32_t number = r->slots[find_slot(r, key)];

	return number ? get_record(r, number - 1) : NULL;
}

static ompd_rc_t grow_slots(struct records *r)
{
	size_t n = r->n_slots ? 2 * r->n_slots : FIRST_SLOTS;
	void *slots;

	RC_TRY(cb_alloc(n * sizeof(*r->slots), &slots));
	cb_free(r->slots);
	r->slots = slots;
	r->n_slots = n;
	for (size_t i = 0; i < r->n; i++)
		r->slots[find_slot(r, get_record(r, i))] = (uint32_t)i + 1;
	return ompd_rc_ok;
}

ompd_rc_t records_add(struct records *r, const void *record)
{
	RC_TRY(cb_reserve(&r->all, &r->room, r->n, 1, r->size));
	if (2 * (r->n + 1) > r->n_slots)
		RC_TRY(grow_slots(r));
	memcpy(get_record(r, r->n), record, r->size);
	r->slots[find_slot(r, record)] = (uint32_t)++r->n;
	return ompd_rc_ok;
}

void records_remove(struct records *r, const void *key)
{
	size_t mask = r->n_slots - 1, hole = find_slot(r, key);
	uint32_t number = r->slots[hole];
	const uint8_t *last = get_record(r, r->n - 1);

	if (number != r->n) {
		r->slots[find_slot(r, last)] = number;
		memcpy(get_record(r, number - 1), last, r->size);
	}
	r->n--;
	/* Move a slot up into the hole if the hole's record had displaced it. */
	for (size_t i = (hole + 1) & mask; r->slots[i]; i = (i + 1) & mask) {
		if (((i - hash_key(r, get_record(r, r->slots[i] - 1))) & mask) < ((i - hole) & mask))
			continue;
		r->slots[hole] = r->slots[i];
		hole = i;
	}
	r->slots[hole] = 0;
}

void records_deinit(struct records *r)
{
	cb_free(r->all);
	cb_free(r->slots);
	*r = (struct records){.size = r->size, .key_size = r->key_size};
}
