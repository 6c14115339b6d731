/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nonmonotonic schedules: each thread has a range of the loop of its own, on a line of its own, and takes from its
 * front; one that has none left takes the rear half of another's. So a line moves between CPUs only when work is short
 * somewhere.
 */
#ifndef OMPDD_RUNTIME_CORE_RANGES_H
#define OMPDD_RUNTIME_CORE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct thread;
struct workshare;

/* Fill in @ws, whose n, chunk (at least 1) and kind are set, for @n_threads, at least 2. */
void ranges_prepare(struct workshare *ws, uint32_t n_threads);
/* Fill in what else @l needs of @ws: what loop_join() fills in is there. */
void ranges_join(const struct workshare *ws, struct loop *l);
/* See loop_refill(). */
bool ranges_refill(struct thread *t, struct loop *l);

/* Too many threads for the counters. */
#define RANGES_MAX_THREADS 0xffffu

#endif
