/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pthreads: two pthreads that never use OpenMP (lines with "openmp":false), and the main thread with a team of 2.
 * Two more pthreads are initial threads of their own contention groups, with teams of 2 and 3.
 */
#include <omp.h>
#include <pthread.h>

#include "oracle.h"

static void *outsider(void *arg)
{
	(void)arg;
	park_say("{\"tid\":%d,\"by\":\"pause\",\"openmp\":false}", park_tid());
	park();
}

static void *initial(void *arg)
{
	int n = *(int *)arg;

#pragma omp parallel num_threads(n)
	oracle_park();
	return NULL;
}

int main(void)
{
	static int sizes[] = {2, 3};
	pthread_t thread;

	park_begin(9);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, outsider, NULL);
		pthread_create(&thread, NULL, initial, &sizes[i]);
	}
#pragma omp parallel num_threads(2)
	oracle_park();
}
