/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nested regions that should be parallel, under the default limit of active levels. */
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
