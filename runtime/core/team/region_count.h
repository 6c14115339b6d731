/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts for a debugger: how often parallel regions were started, by function and level. Each thread counts the
 * regions that it encounters in its own tables, so counting is a comparison and an addition in memory that no other
 * thread writes. When a thread ends, a later one inherits its tables. The counts never decrease, and the sum over all
 * tables is exact at any moment.
 */
#ifndef OMPDD_RUNTIME_CORE_TEAM_REGION_COUNT_H
#define OMPDD_RUNTIME_CORE_TEAM_REGION_COUNT_H

#include <stdint.h>

#include "core/state/root.h"
#include "core/state/thread.h"
#include "os/spin.h"

/* Returns the entry of @t for that region, and creates it if necessary. It becomes t->counted. */
struct region_count *region_count_find(struct thread *t, uint64_t fn, uint32_t level) __attribute__((noinline));
/* @t ends. */
void region_count_leave(struct thread *t);

/* @t starts a region of @fn at @level. */
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
