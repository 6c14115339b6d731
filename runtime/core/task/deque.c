/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rare operations of a deque: growth and destruction. */
#include "core/task/deque.h"

#include <stdlib.h>

#include "os/memory.h"

#define DEQUE_FIRST 64 /* slots of the first ring */

void deque_grow(struct deque *d)
{
	struct deque_ring *old = d->ring;
	uint64_t n = old ? 2 * (old->mask + 1) : DEQUE_FIRST;
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);
	struct deque_ring *ring = memory_alloc(sizeof(*ring) + n * sizeof(ring->slots[0]));

	ring->mask = n - 1;
	ring->older = old;
	for (uint64_t i = 0; i < n; i++)
		ring->slots[i] = NULL;
	for (uint64_t i = top; i != d->bottom; i++)
		ring->slots[i & ring->mask] = old->slots[i & old->mask];
	/* A thief that sees the new ring sees its slots. */
	__atomic_store_n(&d->ring, ring, __ATOMIC_RELEASE);
}

void deque_deinit(struct deque *d)
{
	while (d->ring) {
		struct deque_ring *older = d->ring->older;

		free(d->ring);
		d->ring = older;
	}
}
