/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nested regions that were meant to be parallel, with the limit of active levels that is the default. */
#include "hang.h"

__attribute__((noinline)) static void inner(void)
{
#pragma omp parallel num_threads(4)
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
	inner();
	return 0;
}
