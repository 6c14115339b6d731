/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* malloc() and its relatives. Running out of memory ends the program. */
#include "os/memory.h"

#include <stdlib.h>
#include <string.h>

#include "os/message.h"
#include "os/spin.h"

void memory_report_exhausted(size_t size)
{
	message_fatal("Out of memory allocating %lu bytes", (unsigned long)size);
}

static void check_allocation(const void *p, size_t size)
{
	if (unlikely(!p))
		memory_report_exhausted(size);
}

void *memory_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	check_allocation(p, size);
	return p;
}

void *memory_zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	check_allocation(p, size);
	return p;
}

void *memory_realloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	check_allocation(p, size);
	return p;
}

void *memory_zalloc_aligned(size_t align, size_t size)
{
	void *p;

	if (posix_memalign(&p, align, size ? size : 1))
		p = NULL;
	check_allocation(p, size);
	return memset(p, 0, size);
}

void *memory_zalloc_line(size_t size)
{
	/* Whole cache lines: no other object shares the last one. */
	return memory_zalloc_aligned(CACHE_LINE, (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1));
}
