/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Common parts of the seeded hangs. Counters of arrived threads set the order of events, not time. Each program
 * prints that it has started, and exits by itself after a long time. "HERE" marks the line that a verdict must name.
 */
#ifndef HANG_H
#define HANG_H

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static inline void hang_come(int *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_SEQ_CST);
}

static inline void hang_await(int *n, int of)
{
	while (__atomic_load_n(n, __ATOMIC_SEQ_CST) < of)
		usleep(1000);
}

/* Arrive, and wait until @of threads have arrived. */
static inline void hang_meet(int *n, int of)
{
	hang_come(n);
	hang_await(n, of);
}

__attribute__((constructor)) static void hang_begin(void)
{
	alarm(900);
	printf("{\"pid\": %d}\n", (int)getpid());
	fflush(stdout);
}

#endif
