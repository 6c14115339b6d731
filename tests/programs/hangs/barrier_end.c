/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three of four threads have finished the region, and wait at its end for the fourth. */
#include "hang.h"

volatile int work;

__attribute__((noinline)) static void stay(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 2)
			stay();
		work++;
	}
	work = 0;
	return 0;
}
