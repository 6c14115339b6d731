/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ready tasks of one member of a team (Chase and Lev). The owner pushes and pops at the bottom, thieves take from
 * the top. An all-zero deque is empty. The first push allocates the ring.
 *
 * Correctness: `top` only grows, by compare-and-swap, and the winner has the task of that number. The owner announces
 * a pop by a store to `bottom` before it reads `top`. A thief reads `top` before `bottom`. All four accesses are
 * sequentially consistent. For the last task, the owner sees the thief's `top`, or the thief sees the owner's
 * `bottom`, or both try the compare-and-swap. A push releases the task and the slot by its store to `bottom`, which
 * the thief's load acquires. An outgrown ring stays until the deque is destroyed: a thief may still read a slot of it,
 * with the same content.
 */
#ifndef OMPDD_RUNTIME_CORE_TASK_DEQUE_H
#define OMPDD_RUNTIME_CORE_TASK_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/ready.h"
#include "os/spin.h"

struct task;

/* Replaces the ring by a larger one. */
void deque_grow(struct deque *d) __attribute__((cold));
/* Frees the rings, which no thread uses any more. */
void deque_deinit(struct deque *d);

/* Number of tasks. The owner sees at least the true number, others see an estimate. */
static inline uint64_t deque_size(const struct deque *d)
{
	int64_t n =
		(int64_t)(__atomic_load_n(&d->bottom, __ATOMIC_RELAXED) - __atomic_load_n(&d->top, __ATOMIC_RELAXED));

	return n > 0 ? (uint64_t)n : 0;
}

/* Called by the owner. */
static inline void deque_push(struct deque *d, struct task *task)
{
	uint64_t bottom = d->bottom;
	/* Acquire: the thief has read the slot that is overwritten here. */
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);

	if (unlikely(!d->ring || bottom - top > d->ring->mask))
		deque_grow(d);
	__atomic_store_n(&d->ring->slots[bottom & d->ring->mask], task, __ATOMIC_RELAXED);
	__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELEASE);
}

/* Called by the owner. Returns the task that the next pop returns, unless a thief is faster. NULL: empty. */
static inline struct task *deque_peek_bottom(const struct deque *d)
{
	if ((int64_t)(d->bottom - __atomic_load_n(&d->top, __ATOMIC_RELAXED)) <= 0)
		return NULL;
	return __atomic_load_n(&d->ring->slots[(d->bottom - 1) & d->ring->mask], __ATOMIC_RELAXED);
}

/* Called by the owner. Returns the newest task; NULL: empty. */
static inline struct task *deque_pop(struct deque *d)
{
	uint64_t bottom = d->bottom - 1;
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_RELAXED);
	struct task *task;

	if ((int64_t)(bottom - top) < 0)
		return NULL; /* top never shrinks, so the deque is empty */
	__atomic_store_n(&d->bottom, bottom, __ATOMIC_SEQ_CST);
	top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
	if (unlikely((int64_t)(bottom - top) < 0)) {
		__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
		return NULL;
	}
	task = __atomic_load_n(&d->ring->slots[bottom & d->ring->mask], __ATOMIC_RELAXED);
	if (bottom != top)
		return task;
	/* Thieves may take the last task. */
	if (!__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		task = NULL;
	__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
	return task;
}

/*
 * Called by any thread. Returns the oldest task, with its number in @place_ret. deque_take() then takes it, or fails
 * because another thread did. In between the task may be freed: read only what stays readable of any task.
 */
static inline struct task *deque_peek_top(struct deque *d, uint64_t *place_ret)
{
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
	uint64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_SEQ_CST);
	struct deque_ring *ring;

	if ((int64_t)(bottom - top) <= 0)
		return NULL;
	ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
	*place_ret = top;
	return __atomic_load_n(&ring->slots[top & ring->mask], __ATOMIC_RELAXED);
}

static inline bool deque_take(struct deque *d, uint64_t place)
{
	return __atomic_compare_exchange_n(&d->top, &place, place + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
