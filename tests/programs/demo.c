/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The program of README's demo: an outer team of two threads. Thread 1 opens an inner team
 * of three that waits in a named critical section. Thread 0 runs a tree of explicit tasks.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static void leaf(void)
{
	puts("ready");
	fflush(stdout);
	pause();
}

static void simulate(void)
{
#pragma omp task
	leaf();
#pragma omp taskwait
}

static void solve(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp critical(residual)
		pause();
	}
}

int main(void)
{
	omp_set_max_active_levels(2);
	omp_set_schedule(omp_sched_dynamic, 16);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			solve();
		} else {
#pragma omp task
			simulate();
#pragma omp taskwait
		}
	}
	return 0;
}
