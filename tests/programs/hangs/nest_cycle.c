/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cycle of lock_cycle, of nestable locks. */
#include "hang.h"

static omp_nest_lock_t red, blue;
static int met;

__attribute__((noinline)) static void take(omp_nest_lock_t *first, omp_nest_lock_t *second)
{
	omp_set_nest_lock(first);
	omp_set_nest_lock(first);
	hang_meet(&met, 2);
	omp_set_nest_lock(second); /* HERE */
	omp_unset_nest_lock(second);
	omp_unset_nest_lock(first);
}

int main(void)
{
	omp_init_nest_lock(&red);
	omp_init_nest_lock(&blue);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			take(&red, &blue);
		if (omp_get_thread_num() == 2)
			take(&blue, &red);
	}
	return 0;
}
