/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * churn: threads start and exit all the time: teams of changing sizes, nested teams (libgomp starts
 * and ends their threads each time), tasks, and pthreads. No thread parks; runs until stdin ends.
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "park.h"

static void *visitor(void *arg)
{
#pragma omp parallel num_threads(2)
#pragma omp critical
	++*(long *)arg;
	return NULL;
}

int main(void)
{
	long sum = 0, visits = 0;

	omp_set_max_active_levels(3);
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (int round = 0;; round++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, visitor, &visits))
			abort();
#pragma omp parallel num_threads(2 + round % 7)
		{
#pragma omp parallel num_threads(2) reduction(+ : sum)
			for (int i = 0; i < 1000; i++)
				sum += i;
#pragma omp task shared(sum)
#pragma omp atomic
			sum++;
		}
		pthread_join(thread, NULL);
	}
}
