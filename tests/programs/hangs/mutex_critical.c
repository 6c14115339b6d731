/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A mutex of the program and a critical, in opposite order. */
#include "hang.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int met;
volatile int work;

__attribute__((noinline)) static void mutex_first(void)
{
	pthread_mutex_lock(&mutex);
	hang_meet(&met, 2);
#pragma omp critical(inside) /* HERE */
	work++;
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void critical_first(void)
{
#pragma omp critical(inside)
	{
		hang_meet(&met, 2);
		pthread_mutex_lock(&mutex); /* HERE */
		pthread_mutex_unlock(&mutex);
	}
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			mutex_first();
		else
			critical_first();
	}
	return 0;
}
