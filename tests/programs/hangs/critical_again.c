/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A critical construct within itself, through a function that was correct until it was called from there. */
#include "hang.h"

volatile int work;

__attribute__((noinline)) static void add(void)
{
#pragma omp critical /* HERE */
	work++;
}

__attribute__((noinline)) static void add_two(void)
{
#pragma omp critical
	{
		work++;
		add();
		work++;
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		for (int i = 0; i < 3; i++)
			add();
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			add_two();
	}
	return 0;
}
