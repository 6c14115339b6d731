/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ready tasks of one member of a team: its owner pushes and pops at the bottom, thieves take at the top (Chase and
 * Lev). All zero is an empty deque; the ring comes with the first push.
 *
 * Why it is right: `top` only grows, by compare-and-swap, and who wins that has the task of that number. The owner
 * announces a pop by storing `bottom` before it reads `top`, a thief reads `top` before `bottom`, all four sequentially
 * consistent: so for the last task either the owner sees the thief's new `top`, or the thief the owner's new `bottom`,
 * or both try the compare-and-swap. A push releases the task and the slot by its store to `bottom`, which the thief's
 * load acquires. A ring that was outgrown stays until the deque ends: a thief may still read a slot of it, whose
 * content is then the same.
 */
#ifndef OMPDD_RUNTIME_CORE_DEQUE_H
#define OMPDD_RUNTIME_CORE_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/spin.h"

struct task;

struct deque_ring {
	uint64_t mask;		  /* slots - 1; a power of two */
	struct deque_ring *older; /* outgrown; freed with the deque */
	struct task *slots[];
};

struct deque {
	uint64_t top __attribute__((aligned(CACHE_LINE)));    /* next to be stolen */
	uint64_t bottom __attribute__((aligned(CACHE_LINE))); /* next to be pushed; the owner writes it */
	struct deque_ring *ring;			      /* NULL: never used. Read by thieves */
};

/* A ring with room for more than the present one. */
void deque_grow(struct deque *d) __attribute__((cold));
/* Frees the rings; nobody uses it any more. */
void deque_deinit(struct deque *d);

/* How many there are; the owner sees at least the true number, others an estimate. */
static inline uint64_t deque_size(const struct deque *d)
{
	int64_t n =
		(int64_t)(__atomic_load_n(&d->bottom, __ATOMIC_RELAXED) - __atomic_load_n(&d->top, __ATOMIC_RELAXED));

	return n > 0 ? (uint64_t)n : 0;
}

/* By the owner. */
static inline void deque_push(struct deque *d, struct task *task)
{
	uint64_t bottom = d->bottom;
	/* Acquire: the thief has read the slot that is written here again. */
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);

	if (unlikely(!d->ring || bottom - top > d->ring->mask))
		deque_grow(d);
	__atomic_store_n(&d->ring->slots[bottom & d->ring->mask], task, __ATOMIC_RELAXED);
	__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELEASE);
}

/* By the owner: what the next pop would give, if no thief is quicker. NULL: nothing. */
static inline struct task *deque_peek_bottom(const struct deque *d)
{
	if ((int64_t)(d->bottom - __atomic_load_n(&d->top, __ATOMIC_RELAXED)) <= 0)
		return NULL;
	return __atomic_load_n(&d->ring->slots[(d->bottom - 1) & d->ring->mask], __ATOMIC_RELAXED);
}

/* By the owner: the newest. NULL: empty. */
static inline struct task *deque_pop(struct deque *d)
{
	uint64_t bottom = d->bottom - 1;
	uint64_t top = __atomic_load_n(&d->top, __ATOMIC_RELAXED);
	struct task *task;

	if ((int64_t)(bottom - top) < 0)
		return NULL; /* top never shrinks: surely empty */
	__atomic_store_n(&d->bottom, bottom, __ATOMIC_SEQ_CST);
	top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
	if (unlikely((int64_t)(bottom - top) < 0)) {
		__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
		return NULL;
	}
	task = __atomic_load_n(&d->ring->slots[bottom & d->ring->mask], __ATOMIC_RELAXED);
	if (bottom != top)
		return task;
	/* The last one: thieves may be at it. */
	if (!__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		task = NULL;
	__atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
	return task;
}

/*
 * By anybody: the oldest, whose place is @place_ret; deque_take() then takes it, or fails because somebody else did. In
 * between the task may be gone: only what stays readable of any task may be looked at.
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
