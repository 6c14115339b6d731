/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is never paged out. Small blocks share pages: the system limits how much a process may lock. */
#ifndef OMPDD_RUNTIME_CORE_PINNED_H
#define OMPDD_RUNTIME_CORE_PINNED_H

#include <stddef.h>

/* @size bytes, zeroed, at a multiple of 16. NULL: no memory, or not as much may be locked. */
void *pinned_alloc(size_t size);
/* @size: as it was asked for. */
void pinned_free(void *memory, size_t size);

#endif
