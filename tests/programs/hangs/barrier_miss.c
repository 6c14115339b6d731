/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Five of six reach the barrier. */
#include "hang.h"

static void never(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
#pragma omp parallel num_threads(6)
	{
		if (omp_get_thread_num() == 3)
			never();
#pragma omp barrier
	}
	return 0;
}
