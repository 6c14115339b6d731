/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two named criticals, nested in opposite order. */
#include "hang.h"

static int met;
volatile int work;

__attribute__((noinline)) static void one(void)
{
#pragma omp critical(alpha)
	{
		hang_meet(&met, 2);
#pragma omp critical(beta) /* HERE */
		work++;
	}
}

__attribute__((noinline)) static void other(void)
{
#pragma omp critical(beta)
	{
		hang_meet(&met, 2);
#pragma omp critical(alpha) /* HERE */
		work++;
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			one();
		else
			other();
	}
	return 0;
}
