/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds allocators by their handles. Allocates memory with the alignment, the pool limit and the fallback of their
 * traits.
 */
#include "core/alloc/alloc.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc/pinned.h"
#include "os/memory.h"

#define MALLOC_ALIGNMENT 16
#define FALLBACKS_MAX	 16 /* allocators may name each other in a circle */

/* Precedes every block of memory. */
struct block {
	void *base;   /* the address from the C library or pinned_alloc() */
	size_t size;  /* bytes that the program requested */
	size_t total; /* bytes from pinned_alloc(); 0: from malloc() */
	uintptr_t handle;
};

_Static_assert(sizeof(struct block) % MALLOC_ALIGNMENT == 0, "what is behind it is aligned as it is");

static struct block *get_block(const void *memory)
{
	return (struct block *)(uintptr_t)memory - 1;
}

enum { STATE_FREE, STATE_CHANGING, STATE_READY };

/* Predefined allocators leave the alignment to the caller. The allocator of pinned memory has no fallback. */
#define PREDEFINED(...)                                                                                                \
	{                                                                                                              \
		.alignment = 1, .pool_size = SIZE_MAX, .state = STATE_READY, __VA_ARGS__                               \
	}
static struct allocator plain = PREDEFINED(.fallback = ALLOC_FB_NULL);
static struct allocator special = PREDEFINED(.fallback = ALLOC_FB_DEFAULT);
static struct allocator pinned = PREDEFINED(.fallback = ALLOC_FB_NULL, .pinned = true);

/* All allocators of alloc_create(), also destroyed ones. They are never freed, so a search can check a handle. */
static struct allocator *created; /* atomic */

/* NULL: alloc_create() has not returned @handle. */
static struct allocator *find_created(uintptr_t handle)
{
	struct allocator *a = __atomic_load_n(&created, __ATOMIC_ACQUIRE);

	while (a && (uintptr_t)a != handle)
		a = a->next;
	return a;
}

/* NULL: no allocator has this handle. */
static struct allocator *find_allocator(uintptr_t handle)
{
	struct allocator *a;

	if (handle == ALLOCATOR_DEFAULT)
		return &plain;
	if (handle <= ALLOCATOR_PREDEFINED || handle == ALLOCATOR_MANAGED)
		return handle ? &special : NULL;
	if (handle == ALLOCATOR_PINNED)
		return &pinned;
	a = find_created(handle);
	return a && __atomic_load_n(&a->state, __ATOMIC_ACQUIRE) == STATE_READY ? a : NULL;
}

/* Returns a destroyed allocator in STATE_CHANGING. NULL: none exists, or the program still has memory of each. */
static struct allocator *take_destroyed(void)
{
	for (struct allocator *a = __atomic_load_n(&created, __ATOMIC_ACQUIRE); a; a = a->next) {
		uint32_t state = STATE_FREE;

		if (!__atomic_load_n(&a->used, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&a->state, &state, STATE_CHANGING, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return a;
	}
	return NULL;
}

/* Returns a new allocator in STATE_CHANGING; NULL: no memory. */
static struct allocator *add_allocator(void)
{
	struct allocator *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->state = STATE_CHANGING;
	a->next = __atomic_load_n(&created, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&created, &a->next, a, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return a;
}

uintptr_t alloc_create(const struct allocator *traits)
{
	struct allocator *a = take_destroyed();

	if (!a)
		a = add_allocator();
	if (!a)
		return 0;
	a->alignment = traits->alignment;
	a->pool_size = traits->pool_size;
	a->fallback = traits->fallback;
	a->fallback_allocator = traits->fallback_allocator;
	a->pinned = traits->pinned;
	__atomic_store_n(&a->state, STATE_READY, __ATOMIC_RELEASE);
	return (uintptr_t)a;
}

void alloc_destroy(uintptr_t handle)
{
	struct allocator *a = find_created(handle);

	if (a)
		__atomic_store_n(&a->state, STATE_FREE, __ATOMIC_RELEASE);
}

/* Returns false if the pool has too little left. */
static bool pool_take(struct allocator *a, size_t size)
{
	size_t used, sum;

	if (a->pool_size == SIZE_MAX)
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

/* Returns memory of @a, without its fallback. */
static void *get_memory(struct allocator *a, uintptr_t handle, size_t alignment, size_t size, bool zeroed)
{
	size_t total;
	void *base;

	size_t slack = alignment > MALLOC_ALIGNMENT ? alignment - MALLOC_ALIGNMENT : 0;
	if (__builtin_add_overflow(size, sizeof(struct block) + slack, &total))
		return NULL;
	if (!pool_take(a, size))
		return NULL;
	if (a->pinned)
		base = pinned_alloc(total);
	else
		base = zeroed ? calloc(1, total) : malloc(total);
	if (!base) {
		pool_give(a, size);
		return NULL;
	}
	uintptr_t at = (uintptr_t)base + sizeof(struct block);
	at = (at + slack) & ~(uintptr_t)(slack ? alignment - 1 : 0);
	*get_block((void *)at) = (struct block){base, size, a->pinned ? total : 0, handle};
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
		struct allocator *a = find_allocator(handle);

		if (!a)
			return NULL;
		if (a->alignment > alignment)
			alignment = a->alignment;
		void *memory = get_memory(a, handle, alignment, size, zeroed);
		if (memory)
			return memory;
		switch (a->fallback) {
		case ALLOC_FB_NULL:
			return NULL;
		case ALLOC_FB_ABORT:
			memory_report_exhausted(size);
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
	block = get_block(memory);
	/* A destroyed allocator still counts the memory that the program has of it. */
	pool_give(find_created(block->handle), block->size);
	if (block->total)
		pinned_free(block->base, block->total);
	else
		free(block->base);
}

/* Returns the handle of the allocator of @memory. */
static uintptr_t get_owner(const void *memory)
{
	return get_block(memory)->handle;
}

/*
 * The C library may have room behind the block. NULL: the memory must move to another block, or to another allocator.
 */
static void *resize_in_place(void *memory, size_t size, uintptr_t handle)
{
	struct block *block = get_block(memory);
	struct allocator *a = find_allocator(handle);
	size_t total, old = block->size;

	if (!a || handle != block->handle || block->total || block->base != block || a->alignment > MALLOC_ALIGNMENT ||
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
	size_t old = get_block(memory)->size;

	if (!handle)
		handle = get_owner(memory);
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
