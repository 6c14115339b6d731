/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the runtime itself. Running out of it ends the program with libgomp's message: no caller can go on. */
#ifndef OMPDD_RUNTIME_OS_MEMORY_H
#define OMPDD_RUNTIME_OS_MEMORY_H

#include <stddef.h>

/* Never NULL; free with free(). */
void *memory_alloc(size_t size);
void *memory_zalloc(size_t size);
void *memory_realloc(void *old, size_t size);
/* On a cache line of its own, zeroed; free with free(). */
void *memory_zalloc_line(size_t size);

#endif
