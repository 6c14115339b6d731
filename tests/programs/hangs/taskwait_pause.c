/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A task never ends; its parent is in taskwait. */
#include "hang.h"

__attribute__((noinline)) static void sleeper(void)
{
	for (;;)
		pause(); /* HERE */
}

static int begun;

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task
		{
			hang_come(&begun);
			sleeper();
		}
		hang_await(&begun, 1);
#pragma omp taskwait
	}
	return 0;
}
