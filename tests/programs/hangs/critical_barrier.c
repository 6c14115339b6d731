/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A barrier within a critical: the thread inside, named "holder", waits for the threads that cannot enter. */
#include <sys/prctl.h>

#include "hang.h"

volatile int work;

__attribute__((noinline)) static void all_together(void)
{
	prctl(PR_SET_NAME, "holder");
#pragma omp barrier /* HERE */
	work++;
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp critical(room)
		all_together();
	}
	return 0;
}
