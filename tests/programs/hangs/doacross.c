/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iteration 1 never posts what iteration 2 waits for. */
#include "hang.h"

volatile int work;

__attribute__((noinline)) static void late(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += i;
#pragma omp ordered depend(source)
	}
	return 0;
}
