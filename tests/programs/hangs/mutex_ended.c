/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread without OpenMP has exited with a mutex of the C library, and thread 1 of the team waits for the mutex. */
#include "hang.h"
#include <pthread.h>

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
volatile int work;

static void *leave(void *arg)
{
	pthread_mutex_lock(&journal);
	return arg;
}

__attribute__((noinline)) static void note(void)
{
	pthread_mutex_lock(&journal); /* HERE */
	work++;
	pthread_mutex_unlock(&journal);
}

int main(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, leave, NULL) || pthread_join(other, NULL))
		return 1;
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1)
		note();
	return 0;
}
