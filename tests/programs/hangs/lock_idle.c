/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 1 of the first region left it with the lock set, and is idle. */
#include "hang.h"

static omp_nest_lock_t forgotten;

int main(void)
{
	omp_init_nest_lock(&forgotten);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			omp_set_nest_lock(&forgotten);
	}
	omp_set_nest_lock(&forgotten); /* HERE */
	omp_unset_nest_lock(&forgotten);
	return 0;
}
