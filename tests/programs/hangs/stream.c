/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread has locked stdout and sleeps; another one prints. */
#include "hang.h"

static int locked;

__attribute__((noinline)) static void hold(void)
{
	flockfile(stdout);
	hang_come(&locked);
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			hold();
		if (omp_get_thread_num() == 2) {
			hang_await(&locked, 1);
			puts("never printed");
			hang_come(&locked);
		}
	}
	return 0;
}
