/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory handed to the OMPD library: every live block is known, so that freeing what was never
 * handed out (old libraries return constants where the tool frees) is refused instead of fatal. Several libraries may
 * be hosted, each with its own blocks. Used by openmp/plugin/callbacks.
 */
#ifndef OMPDD_OPENMP_BLOCKS_H
#define OMPDD_OPENMP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* All that the libraries may hold at a time. */
#define BLOCKS_MAX_BYTES (256u << 20)

/* From now on blocks are handed to, and counted of, library @owner; 0 before the first call. */
void blocks_set_owner(unsigned owner);
/* A zeroed block; NULL when memory is out or the libraries hold too much. */
void *blocks_alloc(size_t size);
/* Free @p; false when it is no live block (NULL too). */
bool blocks_free(void *p);
/* Free what the present owner has left. */
void blocks_free_all(void);
/* Whether @p is a live block of any owner; its size. */
bool blocks_size(const void *p, size_t *ret);
size_t blocks_count(void);

#endif
