/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Doubles the memory of a vector. */
#include "base/vector.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAP 16

void *vector_resize(void *items, size_t n, size_t *cap, size_t size)
{
	size_t bigger = *cap ? *cap : FIRST_CAP;

	if (items && n <= *cap)
		return items;
	if (n > SIZE_MAX / 2 / size)
		return NULL;
	while (bigger < n)
		bigger *= 2;
	/* Not reallocarray(): base/memory_limit.c counts failures of realloc(). */
	items = realloc(items, bigger * size);
	if (items)
		*cap = bigger;
	return items;
}
