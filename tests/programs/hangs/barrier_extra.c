/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 0 executes one barrier more than the others, which have left the region. */
#include "hang.h"

volatile int work;

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
#pragma omp barrier /* HERE */
			work++;
		}
	}
	return 0;
}
