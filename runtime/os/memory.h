/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory of the runtime itself. Running out of it ends the program with libgomp's message, because no caller can
 * continue.
 */
#ifndef OMPDD_RUNTIME_OS_MEMORY_H
#define OMPDD_RUNTIME_OS_MEMORY_H

#include <stddef.h>

/* Ends the program: no @size bytes are available. */
void memory_report_exhausted(size_t size) __attribute__((noreturn, cold));

/* Never returns NULL. Free with free(). */
void *memory_alloc(size_t size);
void *memory_zalloc(size_t size);
void *memory_realloc(void *old, size_t size);
/* Zeroed memory, aligned to @align, a power of two. Never returns NULL. Free with free(). */
void *memory_zalloc_aligned(size_t align, size_t size);
/* As memory_zalloc_aligned(), on cache lines of its own. */
void *memory_zalloc_line(size_t size);

#endif
