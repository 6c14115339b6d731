/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 1 sleeps with a mutex of the C library. Two others wait for it; the last one waits at the barrier. */
#include "hang.h"
#include <pthread.h>

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static int taken;
volatile int work;

__attribute__((noinline)) static void keep(void)
{
	pthread_mutex_lock(&journal);
	hang_come(&taken);
	for (;;)
		pause(); /* HERE */
}

__attribute__((noinline)) static void want(void)
{
	hang_await(&taken, 1);
	pthread_mutex_lock(&journal);
	work++;
	pthread_mutex_unlock(&journal);
}

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1)
			keep();
		else if (omp_get_thread_num() > 1)
			want();
#pragma omp barrier
	}
	return 0;
}
