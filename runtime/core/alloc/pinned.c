/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large blocks are separate mappings. Small ones are cut from a page, which is unmapped with its last block. */
#include "core/alloc/pinned.h"

#include <stdint.h>
#include <sys/mman.h>

#include "core/state/lock_word.h"
#include "core/sync/lock.h"
#include "omp-tools.h"

#define PAGE  4096 /* the system's pages have this size or a multiple */
#define SMALL (PAGE / 4)
#define ALIGN 16

/* At the start of each shared page. */
struct page {
	size_t used; /* bytes, with this struct */
	size_t n_blocks;
} __attribute__((aligned(ALIGN)));

static struct lock lock;
static struct page *current; /* the page that the next block is cut from; NULL: none */

static void *map_locked(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (mlock(memory, size)) {
		munmap(memory, size);
		return NULL;
	}
	return memory;
}

static size_t round_size(size_t size)
{
	return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* The lock is held. Blocks are not reused, so each one is still zeroed. */
static void *cut_small(size_t size)
{
	if (!current || current->used + size > PAGE) {
		struct page *page = map_locked(PAGE);

		if (!page)
			return NULL;
		page->used = sizeof(*page);
		current = page;
	}
	void *memory = (char *)current + current->used;
	current->used += size;
	current->n_blocks++;
	return memory;
}

void *pinned_alloc(size_t size)
{
	void *memory;

	if (size > SMALL)
		return map_locked(size);
	lock_acquire(&lock, ompt_state_overhead);
	memory = cut_small(round_size(size));
	lock_release(&lock);
	return memory;
}

void pinned_free(void *memory, size_t size)
{
	struct page *page = (struct page *)((uintptr_t)memory & ~(uintptr_t)(PAGE - 1));

	if (size > SMALL) {
		munmap(memory, size);
		return;
	}
	lock_acquire(&lock, ompt_state_overhead);
	if (--page->n_blocks == 0) {
		if (page == current)
			current = NULL;
		munmap(page, PAGE);
	}
	lock_release(&lock);
}
