/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iteration 1 never reaches its ordered region; 2 and 3 wait for it. */
#include "hang.h"

volatile int work;

__attribute__((noinline)) static void late(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
	for (int i = 0; i < 4; i++) {
		if (i == 1)
			late();
#pragma omp ordered
		work += i;
	}
	return 0;
}
