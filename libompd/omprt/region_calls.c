/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often our runtime has started regions of each function and level: the sum over the tables of
 * all threads that existed. The numbers only grow. So a number from a running target was correct at
 * a moment during the read.
 */
#include <string.h>

#include "omprt/omprt.h"
#include "records.h"

#define MAX_TABLES   65536
#define MAX_CAPACITY 65536u
#define MAX_ROWS     (1u << 18)
/* Limit on the bytes of all tables: 4096 threads with 2048 entries each need 192 MiB. */
#define MAX_BYTES (256u << 20)

struct sum {
	struct records rows; /* struct region_calls_row by function and level */
	uint64_t n_bytes;    /* bytes read so far, because the tables may form a cycle */
};

static ompd_rc_t add_count(struct sum *s, const struct region_calls_row *row)
{
	struct region_calls_row *known = records_find(&s->rows, row);

	if (!known)
		return s->rows.n < MAX_ROWS ? records_add(&s->rows, row) : ompd_rc_incomplete;
	known->calls += row->calls;
	return ompd_rc_ok;
}

static ompd_rc_t add_entries(struct sum *s, const struct process *process, const uint8_t *bytes, uint32_t n)
{
	const struct omprt *o = omprt_of(process);
	struct omprt_copy entry = {.o = o};
	uint32_t size = o->layout.entries[LAYOUT_region_count].size;

	for (uint32_t i = 0; i < n; i++) {
		memcpy(entry.bytes, bytes + (size_t)i * size, o->span[LAYOUT_region_count]);
		const struct region_calls_row row = {
			.function = omprt_field(&entry, LAYOUT_region_count_fn),
			.level = omprt_field(&entry, LAYOUT_region_count_level),
			.calls = omprt_field(&entry, LAYOUT_region_count_n),
		};

		/* An entry that is being created has not counted yet. */
		if (row.function && row.calls)
			RC_TRY(add_count(s, &row));
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
	struct sum s = {.rows = {
				.size = sizeof(struct region_calls_row),
				.key_size = offsetof(struct region_calls_row, calls),
			}};
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
	ret->rows = (struct region_calls_row *)(void *)s.rows.all;
	ret->n = s.rows.n;
	s.rows.all = NULL;
	records_deinit(&s.rows);
	return rc;
}
