/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two threads work, each bound to one CPU of the first two: "apart" to different ones, "together" to the same one. A
 * thread that is not bound sleeps.
 */
#include "hang.h"
#include <sched.h>
#include <string.h>

volatile long work[64];

static void bind(int number)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all) && number-- == 0)
			break;
	}
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
	int together = argc > 1 && !strcmp(argv[1], "together");

#pragma omp parallel num_threads(3)
	{
		int number = omp_get_thread_num();

		if (number == 2) {
			for (;;)
				pause();
		}
		bind(together ? 0 : number);
		for (;;)
			work[number * 32]++; /* HERE */
	}
	return 0;
}
