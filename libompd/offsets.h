/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Offsets in a runtime's structures, each known or OFFSET_UNKNOWN. A layout of a stock runtime is a
 * struct of uint32_t members only. The functions here treat it as an array.
 */
#ifndef OMPDD_LIBOMPD_OFFSETS_H
#define OMPDD_LIBOMPD_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define OFFSET_UNKNOWN UINT32_MAX

/* The offsets of one release of a runtime. */
struct offsets_row {
	int version;
	const char *probe; /* the function that this release was the first to export */
	const uint32_t *offsets;
};

/* A global variable of a runtime. */
struct variable {
	ompd_addr_t address; /* 0: unknown */
	uint32_t width;	     /* bytes */
};

static inline bool offset_known(uint32_t offset)
{
	return offset != OFFSET_UNKNOWN;
}

/*
 * Return the first row whose probe is in @file (NULL: anywhere), or NULL. The @n rows are sorted
 * newest first.
 */
const struct offsets_row *offsets_probe(ompd_address_space_context_t *context, const char *file,
					const struct offsets_row *rows, size_t n);

/* Return the row of @version, or NULL. */
const struct offsets_row *offsets_of(int version, const struct offsets_row *rows, size_t n);

/* Set all @n offsets to OFFSET_UNKNOWN. */
void offsets_clear(uint32_t *offsets, size_t n);

/*
 * Return the name of the first offset that is known in both @a and @b with different values, or
 * NULL. *agreed counts the offsets that are known in both and equal.
 */
const char *offsets_differ(const uint32_t *a, const uint32_t *b, const char *const *names, size_t n, unsigned *agreed);

/* Fill the unknown offsets in @offsets from @other. */
void offsets_merge(uint32_t *offsets, const uint32_t *other, size_t n);

/* Extend *span (bytes) to the end of the @size bytes at @offset, if the offset is known. */
void offsets_span(uint32_t *span, uint32_t offset, uint32_t size);

#endif
