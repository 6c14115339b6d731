/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iteration 3, the second of its chunk, never reaches its ordered region; the next chunk waits. 64-bit counters. */
#include "hang.h"

volatile long work;

__attribute__((noinline)) static void late(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel for ordered schedule(dynamic, 2) num_threads(3)
	for (long i = 0; i < 6; i++) {
		if (i == 3)
			late();
#pragma omp ordered
		work += i;
	}
	return 0;
}
