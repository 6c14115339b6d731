/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory allocators of the program (OpenMP 5.2, 6 and 18.13). All memory comes from the C library; what a memory space
 * or an access trait asks for, every memory of a host has.
 */
#ifndef OMPDD_RUNTIME_CORE_ALLOC_H
#define OMPDD_RUNTIME_CORE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOCATOR_DEFAULT    1 /* omp_default_mem_alloc */
#define ALLOCATOR_PREDEFINED 8 /* handles from 1 to this are the specification's */
/* Predefined in gcc's <omp.h> alone. Without a device, managed memory is the host's. */
#define ALLOCATOR_PINNED  200 /* ompx_gnu_pinned_mem_alloc */
#define ALLOCATOR_MANAGED 201 /* ompx_gnu_managed_mem_alloc */

#define ALLOC_ALIGNMENT_DEFAULT sizeof(void *) /* of the trait */

enum alloc_fallback { ALLOC_FB_DEFAULT, ALLOC_FB_NULL, ALLOC_FB_ABORT, ALLOC_FB_ALLOCATOR };

/* Traits of an allocator. The address of one that alloc_create() returned is its handle. */
struct allocator {
	size_t alignment; /* power of two */
	size_t pool_size; /* SIZE_MAX: no limit */
	size_t used;	  /* bytes that the program asked for and has not freed; atomic; kept while there is a limit */
	enum alloc_fallback fallback;
	uintptr_t fallback_allocator; /* handle, for ALLOC_FB_ALLOCATOR */
	bool pinned;
	uint32_t state;		/* atomic; of alloc.c, as is the next */
	struct allocator *next; /* an older one */
};

/* The defaults of all traits. */
#define ALLOCATOR_INIT ((struct allocator){.alignment = ALLOC_ALIGNMENT_DEFAULT, .pool_size = SIZE_MAX})

/* A new allocator with the traits of @traits. Returns its handle; 0: no memory. Destroy it with alloc_destroy(). */
uintptr_t alloc_create(const struct allocator *traits);
/* Handles that alloc_create() did not return are ignored. */
void alloc_destroy(uintptr_t handle);

/*
 * @size bytes from allocator @handle (not 0), at a multiple of @alignment (a power of two) and of the allocator's own.
 * NULL: @size is 0, no allocator has this handle, or there is no memory and the allocator's fallback says so.
 * Free with alloc_free().
 */
void *alloc_get(uintptr_t handle, size_t alignment, size_t size, bool zeroed);
/* @n elements; the same with more than can be asked for. */
size_t alloc_array_size(size_t n, size_t size);
void alloc_free(void *memory);
/*
 * @memory (not NULL) with a new size (not 0), from allocator @handle; 0: the one that it is from. NULL: none; @memory
 * is as it was.
 */
void *alloc_resize(void *memory, size_t size, uintptr_t handle);

#endif
