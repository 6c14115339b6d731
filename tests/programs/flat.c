/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* flat N [RUNNING]: one team of N threads. All are parked in the region, except that the first RUNNING compute. */
#include <omp.h>
#include <stdlib.h>

#include "oracle.h"

static void run(void)
{
	oracle_say(BY_RUN, "%s", "");
	for (volatile unsigned long n = 0;; n++)
		;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	int running = argc > 2 ? atoi(argv[2]) : 0;

	park_begin(n);
#pragma omp parallel num_threads(n)
	{
		if (omp_get_thread_num() < running)
			run();
		oracle_park();
	}
}
