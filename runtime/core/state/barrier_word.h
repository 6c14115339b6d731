/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off */
/*
 * The barrier of a team. Waiting threads run tasks. The last thread to arrive releases all, once no task is left.
 *
 * One word holds the state. An arriving thread adds to it, and the old value shows whether the thread is the last,
 * whether tasks exist and whether a thread sleeps. Without sleepers there is no system call. Without tasks since the
 * last barrier the addition itself releases the others: they compare the count with thread.barrier_count.
 *
 *	bits	name			content
 *	0	BARRIER_SLEEPERS	a thread may sleep on the low half
 *	1	BARRIER_TASKS		a member knew of tasks when it arrived: complete only when this is cleared
 *	2-7	BARRIER_WOKEN		number of wakes: a thread that is about to sleep on the old word does not sleep,
 *					even if bit 0 is set again
 *	8-31	BARRIER_ENDED		threads that have reached the end of a region; the primary thread waits for them
 *	32-63	BARRIER_ARRIVED		arrivals at barriers, modulo 2^32; on top, where an overflow is harmless
 *
 * Both counts continue from region to region, so a new region does not write here. Its members get the counts at its
 * start from the primary thread (core/state/seat.h). Only when the lower count is large, the word starts again at 0.
 */
/* clang-format on */
#ifndef OMPDD_RUNTIME_CORE_STATE_BARRIER_WORD_H
#define OMPDD_RUNTIME_CORE_STATE_BARRIER_WORD_H

#include <stdbool.h>
#include <stdint.h>

struct thread;
struct team;

#define BARRIER_SLEEPERS 1u
#define BARRIER_TASKS	 2u
#define BARRIER_WOKEN	 4u
#define BARRIER_ENDED	 256u
#define BARRIER_ARRIVED	 (1ull << 32)

/* Both counts start shortly before their overflow, which would otherwise happen only after days. */
#define BARRIER_FIRST (-64 * BARRIER_ARRIVED + (1u << 31) - 64 * BARRIER_ENDED)

/* The two counts, in the form of struct thread and struct team. */
static inline uint32_t barrier_arrived(uint64_t w)
{
	return (uint32_t)(w >> 32);
}

static inline uint32_t barrier_ended(uint64_t w)
{
	return (uint32_t)w & ~(BARRIER_ENDED - 1);
}

struct barrier {
	uint64_t word; /* atomic */
};

#endif
