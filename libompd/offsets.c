/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compare and merge offsets from several derivations. */
#include "offsets.h"

#include "callbacks.h"

const struct offsets_row *offsets_probe(ompd_address_space_context_t *context, const char *file,
					const struct offsets_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ompd_addr_t address;

		if (cb_symbol(context, NULL, rows[i].probe, file, &address) == ompd_rc_ok)
			return &rows[i];
	}
	return NULL;
}

const struct offsets_row *offsets_of(int version, const struct offsets_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].version == version)
			return &rows[i];
	return NULL;
}

void offsets_clear(uint32_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		offsets[i] = OFFSET_UNKNOWN;
}

const char *offsets_differ(const uint32_t *a, const uint32_t *b, const char *const *names, size_t n, unsigned *agreed)
{
	const char *first = NULL;

	*agreed = 0;
	for (size_t i = 0; i < n; i++) {
		if (!offset_known(a[i]) || !offset_known(b[i]))
			continue;
		if (a[i] == b[i])
			(*agreed)++;
		else if (!first)
			first = names[i];
	}
	return first;
}

void offsets_merge(uint32_t *offsets, const uint32_t *other, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!offset_known(offsets[i]))
			offsets[i] = other[i];
}

void offsets_span(uint32_t *span, uint32_t offset, uint32_t size)
{
	if (offset_known(offset) && offset + size > *span)
		*span = offset + size;
}
