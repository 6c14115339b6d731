/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory for the OMPD library. The set of live blocks is known. So the free of any other address is refused, not fatal:
 * old libraries return constants that the tool frees. Each hosted library has its own blocks. Used by
 * openmp/plugin/callbacks.
 */
#ifndef OMPDD_OPENMP_BLOCKS_H
#define OMPDD_OPENMP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* Limit for all blocks of all libraries together. */
#define BLOCKS_MAX_BYTES (256u << 20)

/* Makes library @owner the owner of blocks from now on; 0 before the first call. */
void blocks_set_owner(unsigned owner);
/* Returns a zeroed block. Returns NULL if memory is out or the libraries hold too much. */
void *blocks_alloc(size_t size);
/* Frees @p. Returns false if it is not a live block (or is NULL). */
bool blocks_free(void *p);
/* Frees the remaining blocks of the present owner. */
void blocks_free_all(void);
/* Returns whether @p is a live block of any owner, and its size in *@ret. */
bool blocks_size(const void *p, size_t *ret);
size_t blocks_count(void);

#endif
