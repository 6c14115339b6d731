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

/* The layouts of a runtime's releases, newest first, and the names of their @n offsets. */
struct offsets_table {
	const struct offsets_row *rows;
	size_t n_rows;
	const char *const *names;
	size_t n;
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

/* A member of a copy of a structure, and the offset that it is read from, both in bytes. */
struct offsets_member {
	uint16_t offset; /* of the offset in the layout */
	uint16_t member; /* in the copy */
	uint8_t size;
};

/*
 * Return the layout of the newest release whose probe is in @file (NULL: anywhere), or NULL. *version
 * is its version.
 */
const void *offsets_probe(ompd_address_space_context_t *context, const char *file, const struct offsets_table *table,
			  int *version);

/* Return the layout of @version, or NULL. */
const void *offsets_of(int version, const struct offsets_table *table);

/* Set all offsets of @layout to OFFSET_UNKNOWN. */
void offsets_clear(const struct offsets_table *table, void *layout);

/* Set *offset to the offset that code shows. Returns false if it is too large, or another one is known. */
bool offset_set(uint32_t *offset, int64_t seen);

/*
 * Return the name of the first offset that is known in both layouts with different values, or NULL.
 * *agreed counts the offsets that are known in both and equal.
 */
const char *offsets_differ(const struct offsets_table *table, const void *a, const void *b, unsigned *agreed);

/* Fill the unknown offsets in @layout from @other. */
void offsets_merge(const struct offsets_table *table, void *layout, const void *other);

/* Extend *span (bytes) to the end of the @size bytes at @offset, if the offset is known. */
void offsets_span(uint32_t *span, uint32_t offset, uint32_t size);

/* Return the span of all members. */
uint32_t offsets_measure(const void *layout, const struct offsets_member *members, size_t n);

/* Fill @copy from the @bytes of the structure. Members at unknown offsets stay unchanged. */
void offsets_copy(const void *layout, const struct offsets_member *members, size_t n, const uint8_t *bytes, void *copy);

#endif
