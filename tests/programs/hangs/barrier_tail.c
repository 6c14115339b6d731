/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 2 never reaches the barrier, which ends the region's code: optimized code enters it by a jump. */
#include "hang.h"

static void never(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
	int stage = 0;

#pragma omp parallel num_threads(4)
	{
		hang_come(&stage);
		if (omp_get_thread_num() == 2)
			never();
#pragma omp barrier /* BARRIER */
	}
	return 0;
}
