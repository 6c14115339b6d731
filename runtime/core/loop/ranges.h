/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nonmonotonic schedules. Each thread has its own range of the loop, on a cache line of its own, and takes from its
 * front. A thread without work takes the rear half of another's range. Cache lines thus move only when work is short
 * somewhere.
 */
#ifndef OMPDD_RUNTIME_CORE_LOOP_RANGES_H
#define OMPDD_RUNTIME_CORE_LOOP_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct thread;
struct workshare;

/* Fills in @ws for @n_threads, at least 2. Its n, chunk (at least 1) and kind are set. */
void ranges_prepare(struct workshare *ws, uint32_t n_threads);
/* Fills in the rest of @l, after loop_join(). */
void ranges_join(const struct workshare *ws, struct loop *l);
/* See loop_refill(). */
bool ranges_refill(struct thread *t, struct loop *l);

/* More threads than the counters can hold. */
#define RANGES_MAX_THREADS 0xffffu

#endif
