/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fixture of tests of runtime/core/sync/wait: includes wait.c with a clock and a yield that the test controls. */
#ifndef OMPDD_SUPPORT_WAITER_CLOCK_H
#define OMPDD_SUPPORT_WAITER_CLOCK_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check_main.h"

static unsigned long long ticks;
static unsigned long long n_pauses;
#define __builtin_ia32_rdtsc() ticks
#define __builtin_ia32_pause() (n_pauses++)
#include "core/sync/wait.c"
#undef __builtin_ia32_rdtsc
#undef __builtin_ia32_pause

__thread struct thread thread_tls = {.n_threads = 1};
struct icv_process icv_process = {.num_procs = 2};
struct root runtime_root = {.n_threads = 2};

static uint32_t n_yields, n_moves;
static uint32_t yield_ticks; /* the duration of a yield; 0: a real yield */

int sched_yield(void)
{
	if (!yield_ticks)
		return usleep(1);
	n_yields++;
	ticks += yield_ticks;
	return 0;
}

void cpus_move(void)
{
	n_moves++;
}

pid_t os_thread_id(void)
{
	ticks += 20;
	return 1;
}

/* FOREIGN: longer than threads that only wait can keep the CPU. */
enum { QUICK = 100, SLIGHTLY_LONGER = 140, LONGER = 5000, FOREIGN = 500000 };

static inline struct thread *self(uint32_t spins)
{
	thread_tls.spins = spins;
	return &thread_tls;
}

/* Returns the number of steps until the next yield, without it. */
static inline uint32_t steps_to_yield(struct waiter *w)
{
	uint32_t before = n_yields, n = 0;

	while (wait_step(w) && n_yields == before)
		ck_assert_uint_le(++n, 100000);
	return n;
}

/* The waiter yields @n times, for @took ticks each; returns the spins of the thread's next wait. */
static inline uint32_t yield_times(struct waiter *w, uint32_t n, uint32_t took)
{
	yield_ticks = took;
	while (n--)
		steps_to_yield(w);
	return thread_tls.spins;
}

/* Returns the number of yields before it is time to sleep; at most @limit. */
static inline uint32_t yields_before_sleep(uint32_t limit)
{
	struct waiter w = {0};
	uint32_t before = n_yields;

	yield_ticks = QUICK;
	while (n_yields - before < limit && wait_step(&w))
		;
	if (n_yields - before < limit)
		for (int i = 0; i < 100; i++)
			ck_assert(!wait_step(&w));
	return n_yields - before;
}

#endif
