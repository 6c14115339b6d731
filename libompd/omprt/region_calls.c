/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often our runtime has started regions of each function and level: the sum over the tables of
 * all threads that existed. The numbers only grow. So a number from a running target was correct at
 * a moment during the read.
 */
#include <string.h>

#include "callbacks.h"
#include "omprt/omprt.h"

#define MAX_TABLES   65536
#define MAX_CAPACITY 65536u
#define MAX_ROWS     (1u << 18)
/* Limit on the bytes of all tables: 4096 threads with 2048 entries each need 192 MiB. */
#define MAX_BYTES  (256u << 20)
#define FIRST_ROOM 64u

struct sum {
	struct region_calls *ret;
	uint32_t *slots; /* hash table: number in ret->rows + 1 */
	uint32_t mask, room;
	uint64_t n_bytes; /* bytes read so far, because the tables may form a cycle */
};

static uint32_t *slot_of(const struct sum *s, uint64_t function, uint32_t level)
{
	for (uint64_t i = (function + level) * 0x9e3779b97f4a7c15ull >> 32;; i++) {
		uint32_t *slot = &s->slots[i & s->mask];
		const struct region_calls_row *row = &s->ret->rows[*slot ? *slot - 1 : 0];

		if (!*slot || (row->function == function && row->level == level))
			return slot;
	}
}

/* Grow the table for one more row; it is at most half full. */
static ompd_rc_t make_room(struct sum *s)
{
	uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
	void *rows, *slots;

	if (s->ret->n < s->room)
		return ompd_rc_ok;
	if (s->ret->n >= MAX_ROWS)
		return ompd_rc_incomplete;
	RC_TRY(cb_alloc(room * sizeof(*s->ret->rows), &rows));
	ompd_rc_t rc = cb_alloc(2 * room * sizeof(*s->slots), &slots);
	if (rc != ompd_rc_ok) {
		cb_free(rows);
		return rc;
	}
	if (s->ret->n)
		memcpy(rows, s->ret->rows, s->ret->n * sizeof(*s->ret->rows));
	cb_free(s->ret->rows);
	cb_free(s->slots);
	s->ret->rows = rows;
	s->slots = slots;
	s->room = room;
	s->mask = 2 * room - 1;
	for (uint32_t i = 0; i < s->ret->n; i++)
		*slot_of(s, s->ret->rows[i].function, s->ret->rows[i].level) = i + 1;
	return ompd_rc_ok;
}

static ompd_rc_t add_count(struct sum *s, uint64_t function, uint32_t level, uint64_t n)
{
	RC_TRY(make_room(s));
	uint32_t *slot = slot_of(s, function, level);

	if (!*slot) {
		s->ret->rows[s->ret->n] = (struct region_calls_row){.function = function, .level = level};
		*slot = (uint32_t)++s->ret->n;
	}
	s->ret->rows[*slot - 1].calls += n;
	return ompd_rc_ok;
}

static ompd_rc_t add_entries(struct sum *s, const struct process *process, const uint8_t *bytes, uint32_t n)
{
	const struct omprt *o = omprt_of(process);
	struct omprt_copy entry = {.o = o};
	uint32_t size = o->layout.entries[LAYOUT_region_count].size;

	for (uint32_t i = 0; i < n; i++) {
		memcpy(entry.bytes, bytes + (size_t)i * size, o->span[LAYOUT_region_count]);
		uint64_t function = omprt_field(&entry, LAYOUT_region_count_fn);

		/* An entry that is being created has not counted yet. */
		if (function && omprt_field(&entry, LAYOUT_region_count_n))
			RC_TRY(add_count(s, function, (uint32_t)omprt_field(&entry, LAYOUT_region_count_level),
					 omprt_field(&entry, LAYOUT_region_count_n)));
	}
	return ompd_rc_ok;
}

static ompd_rc_t add_table(struct sum *s, const struct process *process, const struct omprt_copy *table)
{
	const struct layout_entry *entries = omprt_of(process)->layout.entries;
	uint64_t capacity = omprt_field(table, LAYOUT_region_counts_capacity);
	uint32_t size = entries[LAYOUT_region_count].size;
	void *bytes;

	if (!capacity || capacity > MAX_CAPACITY)
		return ompd_rc_incomplete;
	s->n_bytes += capacity * size;
	if (s->n_bytes > MAX_BYTES)
		return ompd_rc_incomplete;
	RC_TRY(cb_alloc_raw(capacity * size, &bytes));
	ompd_rc_t rc =
		cb_read(process->context, table->address + entries[LAYOUT_region_counts].size, capacity * size, bytes);
	if (rc == ompd_rc_ok)
		rc = add_entries(s, process, bytes, (uint32_t)capacity);
	cb_free(bytes);
	return rc;
}

ompd_rc_t omprt_region_calls(const struct process *process, struct region_calls *ret)
{
	const struct omprt *o = omprt_of(process);
	uint32_t size = o->layout.entries[LAYOUT_region_count].size;
	struct omprt_copy root, table;
	struct sum s = {.ret = ret};
	ompd_rc_t rc = ompd_rc_ok;
	size_t n = 0;

	if (size < o->span[LAYOUT_region_count] || size > OMPRT_MAX_SPAN)
		return ompd_rc_incompatible;
	RC_TRY(omprt_read(process, LAYOUT_root, o->layout.root, &root));
	ompd_addr_t next = omprt_field(&root, LAYOUT_root_region_counts);
	while (next && rc == ompd_rc_ok) {
		rc = n++ < MAX_TABLES ? omprt_read(process, LAYOUT_region_counts, next, &table) : ompd_rc_incomplete;
		if (rc == ompd_rc_ok)
			rc = add_table(&s, process, &table);
		if (rc == ompd_rc_ok)
			next = omprt_field(&table, LAYOUT_region_counts_next);
	}
	cb_free(s.slots);
	return rc;
}
