/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The main thread joins a thread of the program, whose region misses a thread. */
#include "hang.h"
#include <pthread.h>

__attribute__((noinline)) static void lost(void)
{
	for (;;)
		pause(); /* HERE */
}

static void *work(void *arg)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			lost();
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	return pthread_join(thread, NULL);
}
