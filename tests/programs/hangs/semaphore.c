/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread waits for a semaphore that no thread posts. */
#include "hang.h"
#include <semaphore.h>

static sem_t ready;

__attribute__((noinline)) static void lost(void)
{
	sem_wait(&ready); /* HERE */
	sem_post(&ready);
}

int main(void)
{
	sem_init(&ready, 0, 0);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 2)
			lost();
	}
	return 0;
}
