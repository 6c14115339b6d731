/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocators by their handle, and allocations with the alignment, the pool limit and the fallback that their traits ask
 * for. */
#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "os/message.h"

#define MALLOC_ALIGNMENT 16
#define FALLBACKS_MAX	 16 /* allocators may name each other in a circle */

/* In front of every piece of memory. */
struct block {
	void *base;   /* what the C library, or the system, gave */
	size_t size;  /* bytes that the program has */
	size_t total; /* bytes of a mapping, of its own; 0: from malloc() */
	uintptr_t handle;
};

_Static_assert(sizeof(struct block) % MALLOC_ALIGNMENT == 0, "what is behind it is aligned as it is");

static struct block *block_of(const void *memory)
{
	return (struct block *)(uintptr_t)memory - 1;
}

static struct allocator *allocator_of(uintptr_t handle)
{
	return handle > ALLOCATOR_PREDEFINED ? (struct allocator *)handle : NULL;
}

/* False: the pool has not that much. */
static bool pool_take(struct allocator *a, size_t size)
{
	size_t used, sum;

	if (!a || a->pool_size == SIZE_MAX)
		return true;
	used = __atomic_load_n(&a->used, __ATOMIC_RELAXED);
	do {
		if (__builtin_add_overflow(used, size, &sum) || sum > a->pool_size)
			return false;
	} while (!__atomic_compare_exchange_n(&a->used, &used, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

static void pool_give(struct allocator *a, size_t size)
{
	if (a && a->pool_size != SIZE_MAX)
		__atomic_fetch_sub(&a->used, size, __ATOMIC_RELAXED);
}

/* Memory that is never paged out: pages of its own, because locks do not nest. */
static void *map_pinned(size_t total)
{
	void *base = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	if (mlock(base, total)) {
		munmap(base, total);
		return NULL;
	}
	return base;
}

/* From this allocator, without its fallback. */
static void *try_get(uintptr_t handle, size_t alignment, size_t size, bool zeroed)
{
	struct allocator *a = allocator_of(handle);
	size_t total;
	void *base;

	size_t slack = alignment > MALLOC_ALIGNMENT ? alignment - MALLOC_ALIGNMENT : 0;
	if (__builtin_add_overflow(size, sizeof(struct block) + slack, &total))
		return NULL;
	if (!pool_take(a, size))
		return NULL;
	bool pinned = a && a->pinned;
	if (pinned)
		base = map_pinned(total);
	else
		base = zeroed ? calloc(1, total) : malloc(total);
	if (!base) {
		pool_give(a, size);
		return NULL;
	}
	uintptr_t at = (uintptr_t)base + sizeof(struct block);
	at = (at + slack) & ~(uintptr_t)(slack ? alignment - 1 : 0);
	*block_of((void *)at) = (struct block){base, size, pinned ? total : 0, handle};
	return (void *)at;
}

size_t alloc_array_size(size_t n, size_t size)
{
	size_t total;

	return __builtin_mul_overflow(n, size, &total) ? SIZE_MAX : total;
}

void *alloc_get(uintptr_t handle, size_t alignment, size_t size, bool zeroed)
{
	if (!size)
		return NULL;
	for (int i = 0; i < FALLBACKS_MAX; i++) {
		const struct allocator *a = allocator_of(handle);
		enum alloc_fallback fallback = a			     ? a->fallback
					       : handle == ALLOCATOR_DEFAULT ? ALLOC_FB_NULL
									     : ALLOC_FB_DEFAULT;
		if (a && a->alignment > alignment)
			alignment = a->alignment;
		void *memory = try_get(handle, alignment, size, zeroed);
		if (memory)
			return memory;
		switch (fallback) {
		case ALLOC_FB_NULL:
			return NULL;
		case ALLOC_FB_ABORT:
			message_fatal("Out of memory allocating %lu bytes", (unsigned long)size);
		case ALLOC_FB_ALLOCATOR:
			handle = a->fallback_allocator ? a->fallback_allocator : ALLOCATOR_DEFAULT;
			break;
		case ALLOC_FB_DEFAULT:
			handle = ALLOCATOR_DEFAULT;
			break;
		}
	}
	return NULL;
}

void alloc_free(void *memory)
{
	struct block *block;

	if (!memory)
		return;
	block = block_of(memory);
	pool_give(allocator_of(block->handle), block->size);
	if (block->total)
		munmap(block->base, block->total);
	else
		free(block->base);
}

/* The allocator's handle that @memory is from. */
static uintptr_t owner_of(const void *memory)
{
	return block_of(memory)->handle;
}

/* The C library may find room behind it. NULL: it has to move to another allocator, or there is none. */
static void *resize_in_place(void *memory, size_t size, uintptr_t handle)
{
	struct block *block = block_of(memory);
	struct allocator *a = allocator_of(handle);
	size_t total, old = block->size;

	if (handle != block->handle || block->total || block->base != block || (a && a->alignment > MALLOC_ALIGNMENT) ||
	    __builtin_add_overflow(size, sizeof(*block), &total))
		return NULL;
	if (size > old && !pool_take(a, size - old))
		return NULL;
	struct block *moved = realloc(block->base, total);
	if (!moved) {
		if (size > old)
			pool_give(a, size - old);
		return NULL;
	}
	if (size < old)
		pool_give(a, old - size);
	moved->base = moved;
	moved->size = size;
	return moved + 1;
}

void *alloc_resize(void *memory, size_t size, uintptr_t handle)
{
	size_t old = block_of(memory)->size;

	if (!handle)
		handle = owner_of(memory);
	void *result = resize_in_place(memory, size, handle);
	if (result)
		return result;
	result = alloc_get(handle, MALLOC_ALIGNMENT, size, false);
	if (!result)
		return NULL;
	memcpy(result, memory, old < size ? old : size);
	alloc_free(memory);
	return result;
}
