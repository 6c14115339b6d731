/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is never paged out. Small blocks share pages: the system limits how much a process may lock. */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_PINNED_H
#define OMPDD_RUNTIME_CORE_ALLOC_PINNED_H

#include <stddef.h>

/* @size bytes, zeroed, aligned to 16. NULL: no memory, or the limit of locked memory is reached. */
void *pinned_alloc(size_t size);
/* @size: as passed to pinned_alloc(). */
void pinned_free(void *memory, size_t size);

#endif
