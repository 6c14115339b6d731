/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads on one CPU. One of them spins at a barrier when OMP_WAIT_POLICY is active. */
#include "hang.h"
#include <sched.h>

volatile long work;

int main(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			for (;;)
				work++; /* HERE */
		}
	}
	return 0;
}
