/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The barrier of a team. Threads that wait run tasks; the last one that arrives, when no task is left, releases all.
 *
 * One word says all: who arrives adds to it, and sees from what he added to whether he is the last, whether tasks are
 *about, and whether somebody sleeps. Nobody asleep, no system call; no task since the last barrier, no second step: the
 *addition itself releases the others, who compare the count with the one that they wait for (thread.barrier_count).
 *
 *	bit 0		BARRIER_SLEEPERS: somebody may sleep on the low half
 *	bit 1		BARRIER_TASKS: a member that arrived knew of tasks: complete only when this is cleared again
 *	bits 2-7	how often all were woken: who was about to sleep on the word as it was before, does not, even if
 *bit 0 is set again bits 8-31	threads that have reached the end of a region; the primary thread waits for them bits
 *32-63	arrivals at barriers, modulo 2^32: on top, so that it overflows into nothing
 *
 * Both counts go on from region to region, so that a new one need not write here; what they were at its begin goes to
 *the other members with the rest (core/pool.h). Only when the lower one has become large the word begins anew.
 */
#ifndef OMPDD_RUNTIME_CORE_BARRIER_H
#define OMPDD_RUNTIME_CORE_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "omp-tools.h"
#include "os/spin.h"

struct thread;
struct team;

#define BARRIER_SLEEPERS 1u
#define BARRIER_TASKS	 2u
#define BARRIER_WOKEN	 4u
#define BARRIER_ENDED	 256u
#define BARRIER_ARRIVED	 (1ull << 32)

/* Both counts begin shortly before their ends, so that these are nothing that would happen only after days. */
#define BARRIER_FIRST (-64 * BARRIER_ARRIVED + (1u << 31) - 64 * BARRIER_ENDED)

/* The two counts, as they are kept in struct thread and struct team. */
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

/*
 * Wait for the whole team of @t; @state is shown meanwhile, with the barrier's address as wait id and, if the program
 * has called it, the current task's enter frame @frame (as in SITE_HERE(); else NULL). Cancellable: returns true as
 * soon as the region is cancelled.
 */
void barrier_wait(struct thread *t, ompt_state_t state, const void *frame);
bool barrier_wait_cancellable(struct thread *t, ompt_state_t state, const void *frame);
/*
 * A task was made ready, or the last was completed, or the region was cancelled: let sleeping threads look. Cheap when
 * nobody sleeps.
 */
void barrier_wake(struct team *team, bool all);

/*
 * The end of a region: a member of a pool says that it is there (@last: barrier_ended() when all are), the primary
 * thread waits for all.
 */
void barrier_end_arrive(struct team *team, uint32_t last);
void barrier_end_wait(struct thread *t, uint32_t last);

#endif
