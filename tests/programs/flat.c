/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* flat N: one team of N threads, all parked in the region. */
#include <stdlib.h>

#include "oracle.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;

	park_begin(n);
#pragma omp parallel num_threads(n)
	oracle_park();
}
