/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* wakers N: a team of N threads. Each sleeps for 2 ms again and again: at any stop some are just about to run. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "park.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;

	park_begin(n);
#pragma omp parallel num_threads(n)
	{
		park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
		for (;;)
			usleep(2000);
	}
}
