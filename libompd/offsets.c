/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compare and merge offsets from several derivations, and read structures by them. */
#include "offsets.h"

#include <string.h>

#include "callbacks.h"

/* The structures of the stock runtimes are smaller: a larger number is not an offset. */
#define MAX_OFFSET 4096

const void *offsets_probe(ompd_address_space_context_t *context, const char *file, const struct offsets_table *table,
			  int *version)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		ompd_addr_t address;

		if (cb_symbol(context, NULL, table->rows[i].probe, file, &address) != ompd_rc_ok)
			continue;
		*version = table->rows[i].version;
		return table->rows[i].offsets;
	}
	return NULL;
}

const void *offsets_of(int version, const struct offsets_table *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].version == version)
			return table->rows[i].offsets;
	return NULL;
}

void offsets_clear(const struct offsets_table *table, void *layout)
{
	uint32_t *offsets = layout;

	for (size_t i = 0; i < table->n; i++)
		offsets[i] = OFFSET_UNKNOWN;
}

bool offset_set(uint32_t *offset, int64_t seen)
{
	if (seen < 0 || seen > MAX_OFFSET || (offset_known(*offset) && *offset != (uint32_t)seen))
		return false;
	*offset = (uint32_t)seen;
	return true;
}

const char *offsets_differ(const struct offsets_table *table, const void *a, const void *b, unsigned *agreed)
{
	const uint32_t *one = a, *other = b;
	const char *first = NULL;

	*agreed = 0;
	for (size_t i = 0; i < table->n; i++) {
		if (!offset_known(one[i]) || !offset_known(other[i]))
			continue;
		if (one[i] == other[i])
			(*agreed)++;
		else if (!first)
			first = table->names[i];
	}
	return first;
}

void offsets_merge(const struct offsets_table *table, void *layout, const void *other)
{
	const uint32_t *from = other;
	uint32_t *offsets = layout;

	for (size_t i = 0; i < table->n; i++)
		if (!offset_known(offsets[i]))
			offsets[i] = from[i];
}

void offsets_span(uint32_t *span, uint32_t offset, uint32_t size)
{
	if (offset_known(offset) && offset + size > *span)
		*span = offset + size;
}

static uint32_t get_offset(const void *layout, const struct offsets_member *member)
{
	uint32_t offset;

	memcpy(&offset, (const uint8_t *)layout + member->offset, sizeof(offset));
	return offset;
}

uint32_t offsets_measure(const void *layout, const struct offsets_member *members, size_t n)
{
	uint32_t span = 0;

	for (size_t i = 0; i < n; i++)
		offsets_span(&span, get_offset(layout, &members[i]), members[i].size);
	return span;
}

void offsets_copy(const void *layout, const struct offsets_member *members, size_t n, const uint8_t *bytes, void *copy)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t offset = get_offset(layout, &members[i]);

		if (offset_known(offset))
			memcpy((uint8_t *)copy + members[i].member, bytes + offset, members[i].size);
	}
}
