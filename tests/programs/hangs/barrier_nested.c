/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The outer team waits for a thread that encountered an inner region. That region's team misses one thread. */
#include "hang.h"

__attribute__((noinline)) static void stray(void)
{
	for (;;)
		pause(); /* HERE */
}

__attribute__((noinline)) static void inner(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2)
			stray();
	}
}

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			inner();
	}
	return 0;
}
