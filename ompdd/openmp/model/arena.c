/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bump allocator over a list of chunks. */
#include "openmp/model/arena.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK ((size_t)64 * 1024)

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(max_align_t) char data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	size_t rounded = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);

	if (rounded < size)
		return NULL;
	if (!a->chunks || a->cap - a->used < rounded) {
		size_t cap = rounded > ARENA_CHUNK ? rounded : ARENA_CHUNK;
		struct arena_chunk *chunk = malloc(sizeof(*chunk) + cap);

		if (!chunk)
			return NULL;
		chunk->next = a->chunks;
		a->chunks = chunk;
		a->used = 0;
		a->cap = cap;
	}
	void *p = a->chunks->data + a->used;

	a->used += rounded;
	memset(p, 0, rounded);
	return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

void arena_deinit(struct arena *a)
{
	while (a->chunks) {
		struct arena_chunk *next = a->chunks->next;

		free(a->chunks);
		a->chunks = next;
	}
	a->used = a->cap = 0;
}
