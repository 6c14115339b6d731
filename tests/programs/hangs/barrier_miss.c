/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Five of six threads reach the barrier, or all but one of argv[1]. */
#include "hang.h"
#include <stdlib.h>

static void never(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 6;

#pragma omp parallel num_threads(n)
	{
		if (omp_get_thread_num() == 3)
			never();
#pragma omp barrier
	}
	return 0;
}
