/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shared object that program dlopen loads: a nest of 2 and 2 or 3 threads. */
#include <omp.h>
#include <unistd.h>

#include "oracle.h"

static volatile int n_regions;

/* One region of two threads. */
void part_region(void);
__attribute__((visibility("default"))) void part_region(void)
{
#pragma omp parallel num_threads(2)
	n_regions++;
	usleep(1000);
}

void dlopen_part_run(void);
__attribute__((visibility("default"))) void dlopen_part_run(void)
{
	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int size = 2 + omp_get_thread_num();
#pragma omp parallel num_threads(size)
		oracle_park();
	}
}
