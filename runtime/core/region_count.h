/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often parallel regions were begun, by the region's function and level: for a debugger. Each thread counts those
 * that it encounters, in tables of its own, so counting is a comparison and an addition in memory that nobody else
 * writes. The tables stay when the thread ends, and become those of a later one: what they count never decreases, and
 * the sum over all tables is exact at any moment.
 */
#ifndef OMPDD_RUNTIME_CORE_REGION_COUNT_H
#define OMPDD_RUNTIME_CORE_REGION_COUNT_H

#include <stdint.h>

#include "core/thread.h"
#include "os/spin.h"

struct region_count {
	uint64_t fn; /* 0: a free entry; stored last */
	uint64_t n;
	uint32_t level;
};

/* Entries are found by their hash, and behind it; at most three quarters are in use. */
struct region_counts {
	struct region_counts *next;    /* all there are */
	struct region_counts *smaller; /* of the same thread: that had no more room */
	uint32_t capacity;	       /* a power of two */
	uint32_t n_used;
	uint32_t is_owned; /* of the largest of a thread: the thread has not ended; atomic */
	struct region_count entries[];
};

/* No region's: where a thread begins. */
extern struct region_count region_count_none;

/* The entry of @t for that, made when it is not there. It is t->counted from now on. */
struct region_count *region_count_find(struct thread *t, uint64_t fn, uint32_t level) __attribute__((noinline));
/* @t ends. */
void region_count_leave(struct thread *t);

/* @t begins a region of @fn at @level. */
static inline void region_count_add(struct thread *t, void (*fn)(void *), uint32_t level)
{
	struct region_count *c = t->counted;

	if (!RUNTIME_TRACKS)
		return;
	if (unlikely(c->fn != (uint64_t)(uintptr_t)fn || c->level != level))
		c = region_count_find(t, (uint64_t)(uintptr_t)fn, level);
	__atomic_store_n(&c->n, c->n + 1, __ATOMIC_RELAXED);
}

#endif
