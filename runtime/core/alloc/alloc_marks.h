/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of allocators' memory, for callers that free memory of unknown origin. */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_ALLOC_MARKS_H
#define OMPDD_RUNTIME_CORE_ALLOC_ALLOC_MARKS_H

#include <stdbool.h>

void alloc_mark(void *memory);
/* Removes the mark of @memory. Returns whether it was marked. */
bool alloc_unmark(void *memory);

#endif
