/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One section waits for an action of another section. A single thread executes both, and the other one later. */
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
