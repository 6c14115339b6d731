/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One section waits for what the program expects another section to do, which one thread executes behind it. */
#include "hang.h"
#include <semaphore.h>

static sem_t ready;

__attribute__((noinline)) static void consume(void)
{
	sem_wait(&ready); /* HERE */
	__asm__ volatile(""); /* not by a jump */
}

int main(void)
{
	sem_init(&ready, 0, 0);
#pragma omp parallel num_threads(1)
	{
#pragma omp sections
		{
#pragma omp section
			consume();
#pragma omp section
			sem_post(&ready);
		}
	}
	return 0;
}
