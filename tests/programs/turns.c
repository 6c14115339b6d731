/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* turns: repeats two regions until its input ends: three threads
 * that meet in a critical construct, and two threads with tasks. */
#include <omp.h>
#include <time.h>

#include "park.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void spin(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		;
}

__attribute__((noinline)) void turns_solve(void)
{
#pragma omp parallel num_threads(3)
	for (int i = 0; i < 10; i++) {
		spin(0.002 * (1 + omp_get_thread_num()));
#pragma omp critical(turns)
		spin(0.002);
#pragma omp barrier
	}
}

__attribute__((noinline)) void turns_sweep(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single
		for (int i = 0; i < 6; i++) {
#pragma omp task
			spin(0.005);
		}
#pragma omp taskwait
	}
}

int main(void)
{
	park_begin(0);
	for (;;) {
		turns_solve();
		turns_sweep();
	}
}
