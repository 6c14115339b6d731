/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A critical construct within itself, through a function. */
#include "hang.h"

volatile int work;

__attribute__((noinline)) static void add(void)
{
#pragma omp critical(sum) /* HERE */
	work++;
}

__attribute__((noinline)) static void add_two(void)
{
#pragma omp critical(sum)
	{
		add();
		work++;
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			add_two();
	}
	return 0;
}
