/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timing routines (OpenMP 5.2, 18.10). */
#include <time.h>

#include "abi/omp_abi.h"

static double convert_timespec(struct timespec ts)
{
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

ABI double omp_get_wtime(void)
{
	struct timespec ts;

	abi_is_used();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return convert_timespec(ts);
}
FORTRAN_ALIAS(omp_get_wtime);

ABI double omp_get_wtick(void)
{
	struct timespec ts;

	abi_is_used();
	clock_getres(CLOCK_MONOTONIC, &ts);
	return convert_timespec(ts);
}
FORTRAN_ALIAS(omp_get_wtick);
