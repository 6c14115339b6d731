/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses of memory that is from an allocator, for who has to free some without knowing where it is from. */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_MARKS_H
#define OMPDD_RUNTIME_CORE_ALLOC_MARKS_H

#include <stdbool.h>

void alloc_mark(void *memory);
/* Whether @memory was marked; it is not any more. */
bool alloc_unmark(void *memory);

#endif
