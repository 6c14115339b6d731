/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The barrier of a team. Threads that wait run tasks; the last one that arrives, when no task is left, releases all.
 * The release counts sleepers: nobody asleep, no system call.
 */
#ifndef OMPDD_RUNTIME_CORE_BARRIER_H
#define OMPDD_RUNTIME_CORE_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "omp-tools.h"
#include "os/spin.h"

struct thread;
struct team;

struct barrier {
	uint32_t arrived;    /* in the present round; atomic */
	uint32_t generation __attribute__((aligned(CACHE_LINE))); /* round number and bits for sleepers: core/barrier.c; futex word */
};

/*
 * Wait for the whole team of @t; @state is shown meanwhile, with the barrier's address as wait id. Releases memory of
 * finished worksharing constructs. Cancellable: returns true as soon as the region is cancelled.
 */
void barrier_wait(struct thread *t, ompt_state_t state);
bool barrier_wait_cancellable(struct thread *t, ompt_state_t state);
/* A task was made ready, or the last was completed: let sleeping threads look. Cheap when nobody sleeps. */
void barrier_wake(struct team *team, bool all);

#endif
