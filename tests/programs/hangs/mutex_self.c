/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 1 takes a mutex of the C library that it already holds. */
#include "hang.h"
#include <pthread.h>

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
volatile int work;

__attribute__((noinline)) static void note(int depth)
{
	pthread_mutex_lock(&journal); /* HERE */
	if (depth)
		note(depth - 1);
	work++;
	pthread_mutex_unlock(&journal);
}

int main(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1)
		note(1);
	return 0;
}
