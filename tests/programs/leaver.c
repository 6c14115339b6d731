/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * leaver: the main thread exits by pthread_exit(). A pthread with a team of 3
 * continues, and so does a pthread ("openmp":false) that calls tick() all the time.
 */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "oracle.h"

static void *initial(void *arg)
{
	(void)arg;
#pragma omp parallel num_threads(3)
	oracle_park();
	return NULL;
}

__attribute__((noinline)) void tick(volatile unsigned *n)
{
	++*n;
}

static void *ticker(void *arg)
{
	volatile unsigned n = 0;

	park_say("{\"tid\":%d,\"by\":\"run\",\"openmp\":false}", park_tid());
	for (;;) {
		tick(&n);
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	park_begin(4);
	pthread_create(&thread, NULL, initial, NULL);
	pthread_create(&thread, NULL, ticker, NULL);
	pthread_exit(NULL);
}
