/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread that executes the single never gives its value. */
#include "hang.h"

__attribute__((noinline)) static int value(void)
{
	for (;;)
		pause(); /* HERE */
	return 0;
}

int main(void)
{
	int v = 0;

#pragma omp parallel num_threads(3) firstprivate(v)
	{
#pragma omp single copyprivate(v)
		v = value();
		if (v)
			puts("");
	}
	return 0;
}
