/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traits of memory allocators (OpenMP 5.2, 6.2): numbers from a program, and the text of OMP_ALLOCATOR. */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_ALLOC_TRAITS_H
#define OMPDD_RUNTIME_CORE_ALLOC_ALLOC_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

struct allocator;

/* omp_alloctrait_key_t. */
enum alloc_trait {
	ALLOC_SYNC_HINT = 1,
	ALLOC_ALIGNMENT,
	ALLOC_ACCESS,
	ALLOC_POOL_SIZE,
	ALLOC_FALLBACK,
	ALLOC_FB_DATA,
	ALLOC_PINNED,
	ALLOC_PARTITION
};

/* The first value of each trait in omp_alloctrait_value_t. The trait's other values follow it. */
enum alloc_trait_value {
	ALLOC_CONTENDED = 3,
	ALLOC_ALL = 7,
	ALLOC_DEFAULT_MEM_FB = 11,
	ALLOC_ENVIRONMENT = 15,
};

/* omp_memspace_handle_t: from 0 to ALLOC_SPACE_LAST, and gcc's own. */
#define ALLOC_SPACE_LAST    4
#define ALLOC_SPACE_MANAGED 200 /* ompx_gnu_managed_mem_space */

/* Writes one trait into @a. Returns false if the trait @key or its value does not exist. */
bool alloc_trait_set(struct allocator *a, uint32_t key, uintptr_t value);

enum alloc_text {
	ALLOC_TEXT_PREDEFINED, /* *@handle_ret has been set */
	ALLOC_TEXT_TRAITS,     /* *@traits_ret has been set: make the allocator with alloc_create() */
	ALLOC_TEXT_IMPOSSIBLE, /* well-formed, but no allocator has these traits */
	ALLOC_TEXT_INVALID,    /* *@text is at the invalid part */
	ALLOC_TEXT_NO_VALUE,   /* it ends where a value was expected */
};
/* Reads OMP_ALLOCATOR (5.2, 21.5.1): a predefined allocator, or a memory space and perhaps its traits. */
enum alloc_text alloc_trait_parse(const char **text, uintptr_t *handle_ret, struct allocator *traits_ret);

/* The name of a predefined allocator; NULL: @handle is not one. */
const char *alloc_trait_name_of(uintptr_t handle);

#endif
