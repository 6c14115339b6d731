/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task that a task of the group generated never ends. */
#include "hang.h"

static int begun;

__attribute__((noinline)) static void sleeper(void)
{
	hang_come(&begun);
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				sleeper();
			}
			hang_await(&begun, 1);
		}
	}
	return 0;
}
