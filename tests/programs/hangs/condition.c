/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A wait of the program's own: the signal was sent before the wait. */
#include "hang.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int signalled;

__attribute__((noinline)) static void lost(void)
{
	hang_await(&signalled, 1);
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&filled, &mutex); /* HERE */
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			pthread_cond_signal(&filled);
			hang_come(&signalled);
		}
		if (omp_get_thread_num() == 2)
			lost();
	}
	return 0;
}
