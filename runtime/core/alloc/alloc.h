/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory allocators of the program (OpenMP 5.2, 6 and 18.13). All memory comes from the C library: the host's memory
 * satisfies all memory spaces and access traits.
 */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_ALLOC_H
#define OMPDD_RUNTIME_CORE_ALLOC_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOCATOR_DEFAULT    1 /* omp_default_mem_alloc */
#define ALLOCATOR_PREDEFINED 8 /* 1 to this are the specification's handles */
/* Predefined in gcc's <omp.h> alone. Without a device, managed memory is the host's. */
#define ALLOCATOR_PINNED  200 /* ompx_gnu_pinned_mem_alloc */
#define ALLOCATOR_MANAGED 201 /* ompx_gnu_managed_mem_alloc */

#define ALLOC_ALIGNMENT_DEFAULT sizeof(void *) /* of the trait */

enum alloc_fallback { ALLOC_FB_DEFAULT, ALLOC_FB_NULL, ALLOC_FB_ABORT, ALLOC_FB_ALLOCATOR };

/* The traits of an allocator. If alloc_create() returned it, its address is the handle. */
struct allocator {
	size_t alignment; /* power of two */
	size_t pool_size; /* SIZE_MAX: no limit */
	size_t used;	  /* bytes that the program has; atomic; only counted with a limit */
	enum alloc_fallback fallback;
	uintptr_t fallback_allocator; /* handle, for ALLOC_FB_ALLOCATOR */
	bool pinned;
	uint32_t state;		/* atomic; of alloc.c, as is the next */
	struct allocator *next; /* an older one */
};

/* The defaults of all traits. */
#define ALLOCATOR_INIT ((struct allocator){.alignment = ALLOC_ALIGNMENT_DEFAULT, .pool_size = SIZE_MAX})

/* Returns the handle of a new allocator with these traits; 0: no memory. Destroy it with alloc_destroy(). */
uintptr_t alloc_create(const struct allocator *traits);
/* Ignores handles that alloc_create() did not return. */
void alloc_destroy(uintptr_t handle);

/*
 * Returns @size bytes from allocator @handle (not 0). They are aligned to @alignment (a power of two) and to the
 * allocator's own alignment. NULL: @size is 0, no allocator has this handle, or memory is short and the fallback gives
 * none. Free with alloc_free().
 */
void *alloc_get(uintptr_t handle, size_t alignment, size_t size, bool zeroed);
/* Returns the size of @n elements. On overflow the result is too large for any allocation. */
size_t alloc_array_size(size_t n, size_t size);
void alloc_free(void *memory);
/*
 * Resizes @memory (not NULL) to @size (not 0), from allocator @handle; 0: its present allocator. NULL: no memory;
 * @memory is unchanged.
 */
void *alloc_resize(void *memory, size_t size, uintptr_t handle);

#endif
