/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file that a function lies in, as it is mapped: where its parts are, and what is to be found there without a name.
 */
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
	/* What the dynamic linker fills in and then makes constant. */
	ompd_addr_t relro_start, relro_end;
};

/* Of the file that @inside is mapped from. unavailable: its ELF header is not found before it. */
ompd_rc_t image_read(ompd_address_space_context_t *context, ompd_addr_t inside, struct image *ret);

/* Whether @address is in one of its segments. */
bool image_has(const struct image *image, ompd_addr_t address);
/* Whether it is in one with code. */
bool image_has_code(const struct image *image, ompd_addr_t address);
/* Whether the 8 bytes there are constant once the program runs, though the segment is writable. */
bool image_is_relro(const struct image *image, ompd_addr_t address);

/* The first place of the @size @bytes (at most IMAGE_MAX_BYTES) where nothing is written; unavailable: nowhere. */
#define IMAGE_MAX_BYTES 64
ompd_rc_t image_find(ompd_address_space_context_t *context, const struct image *image, const void *bytes, size_t size,
		     ompd_addr_t *ret);

/* The first instruction that names @target as an address, from @from on (0: from the beginning); unavailable: none. */
ompd_rc_t image_find_use(ompd_address_space_context_t *context, const struct image *image, ompd_addr_t from,
			 ompd_addr_t target, ompd_addr_t *ret);

#endif
