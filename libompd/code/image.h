/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The mapped file that contains a function: its segments, and searches for data without symbols. */
#ifndef OMPDD_LIBOMPD_CODE_IMAGE_H
#define OMPDD_LIBOMPD_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"

#define IMAGE_MAX_SEGMENTS 8

struct image_segment {
	ompd_addr_t start, end;
	bool is_code, is_writable;
};

struct image {
	size_t n;
	struct image_segment segments[IMAGE_MAX_SEGMENTS];
	/* memory that the dynamic linker fills and then makes read-only */
	ompd_addr_t relro_start, relro_end;
};

/* Read the file that @inside is mapped from. unavailable: no ELF header was found before @inside. */
ompd_rc_t image_read(ompd_address_space_context_t *context, ompd_addr_t inside, struct image *ret);

/* Return whether @address is in a segment. */
bool image_has(const struct image *image, ompd_addr_t address);
/* Return whether @address is in a segment with code. */
bool image_has_code(const struct image *image, ompd_addr_t address);
/* Return whether the 8 bytes at @address are in a writable segment but constant once the program runs. */
bool image_is_relro(const struct image *image, ompd_addr_t address);

/*
 * Find the first occurrence of the @size @bytes (at most IMAGE_MAX_BYTES) in read-only memory.
 * unavailable: not found.
 */
#define IMAGE_MAX_BYTES 64
ompd_rc_t image_find(ompd_address_space_context_t *context, const struct image *image, const void *bytes, size_t size,
		     ompd_addr_t *ret);

/*
 * Find the first instruction that uses the address @target, from @from on (0: from the start).
 * unavailable: not found.
 */
ompd_rc_t image_find_use(ompd_address_space_context_t *context, const struct image *image, ompd_addr_t from,
			 ompd_addr_t target, ompd_addr_t *ret);

#endif
