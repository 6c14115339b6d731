/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ticks N: a team of N threads. The first calls marked() for ever, and the others wait for it at a barrier.
 * After each call it prints the start of that call, by CLOCK_MONOTONIC in microseconds. For tests/bench.
 */
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "park.h"

static volatile long n_calls;

__attribute__((noinline)) void marked(void);
void marked(void)
{
	n_calls++;
}

static void tick(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	marked();
	park_say("{\"us\":%lld}", (long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;

	park_begin(n);
#pragma omp parallel num_threads(n)
	{
		park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
#pragma omp barrier
#pragma omp master
		for (;;)
			tick();
	}
}
