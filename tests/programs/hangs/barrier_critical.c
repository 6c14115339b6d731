/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread that is missing at the barrier waits for a critical. Its holder waits for another event. */
#include "hang.h"

static int held;
volatile int work;

__attribute__((noinline)) static void holder(void)
{
#pragma omp critical(door)
	{
		hang_come(&held);
		for (;;)
			pause(); /* HERE */
	}
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0)
			holder();
		if (omp_get_thread_num() == 1) {
			hang_await(&held, 1);
#pragma omp critical(door)
			work++;
		}
#pragma omp barrier
	}
	return 0;
}
