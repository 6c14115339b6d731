/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Within a taskgroup, a taskwait for a child task that sleeps for ever. */
#include "hang.h"

static int begun;
volatile int work;

__attribute__((noinline)) static void sleeper(void)
{
	hang_come(&begun);
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			sleeper();
			hang_await(&begun, 1);
#pragma omp taskwait
			work++;
		}
	}
	return 0;
}
