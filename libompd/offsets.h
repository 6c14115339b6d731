/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Offsets in a runtime's structures, each known or not: what the layouts of the stock runtimes are made of. A layout
 * is a struct of nothing but uint32_t, and so an array of them here.
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
	const char *probe; /* a function that this release was the first to export */
	const uint32_t *offsets;
};

/* A global variable of a runtime. */
struct variable {
	ompd_addr_t address; /* 0: not known */
	uint32_t width;	     /* bytes */
};

static inline bool offset_known(uint32_t offset)
{
	return offset != OFFSET_UNKNOWN;
}

/* Of @n rows, newest first, the first whose probe is in @file (NULL: anywhere); NULL if none is. */
const struct offsets_row *offsets_probe(ompd_address_space_context_t *context, const char *file,
					const struct offsets_row *rows, size_t n);

/* The row of @version; NULL if there is none. */
const struct offsets_row *offsets_of(int version, const struct offsets_row *rows, size_t n);

/* Make all @n unknown. */
void offsets_clear(uint32_t *offsets, size_t n);

/*
 * Of the @names of @n offsets the first that both know differently, NULL if they agree; *agreed counts those that both
 * know.
 */
const char *offsets_differ(const uint32_t *a, const uint32_t *b, const char *const *names, size_t n, unsigned *agreed);

/* Fill what @offsets lacks from @other. */
void offsets_merge(uint32_t *offsets, const uint32_t *other, size_t n);

/* Let *span bytes of a structure reach behind the @size bytes at @offset, if that is known. */
void offsets_span(uint32_t *span, uint32_t offset, uint32_t size);

#endif
