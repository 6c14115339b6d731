/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is freed as a whole: the strings and arrays of a snapshot. */
#ifndef OMPDD_OPENMP_ARENA_H
#define OMPDD_OPENMP_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zeroes is a valid empty arena. */
struct arena {
	struct arena_chunk *chunks;
	size_t used; /* of the first chunk */
	size_t cap;
};

/* Allocates @size zeroed bytes in @a, aligned for any object. Returns NULL when memory is out. */
void *arena_alloc(struct arena *a, size_t size);
/* Copies @len bytes of @text into @a, NUL-terminated. Returns NULL when memory is out. */
char *arena_strndup(struct arena *a, const char *text, size_t len);
/* Frees all memory of @a at once. */
void arena_deinit(struct arena *a);

#endif
