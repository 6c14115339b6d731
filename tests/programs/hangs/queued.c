/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks wait for a thread, but both threads are in a task that never ends. */
#include "hang.h"

__attribute__((noinline)) static void sleeper(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task
			sleeper();
		}
	}
	return 0;
}
