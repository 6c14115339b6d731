/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads arrive at barriers and at the end of regions at all moments, so that some sleep, some spin: none is forgotten. */
#include <omp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void busy(unsigned *seed, int scale)
{
	unsigned r = *seed = *seed * 1103515245 + 12345;
	struct timespec t = {0, (long)(r >> 16) % scale * 1000};

	if (r >> 31)
		nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	int n = argc > 2 ? atoi(argv[2]) : 4;
	long total = 0;

	for (int i = 0; i < rounds; i++) {
		long count = 0, tasks = 0;

#pragma omp parallel num_threads(1 + i % n)
		{
			unsigned seed = i * 77 + omp_get_thread_num() * 1001;
			int size = omp_get_num_threads();

			for (int k = 0; k < 10; k++) {
				busy(&seed, 300);
#pragma omp atomic
				count++;
#pragma omp barrier
				if (count != (k + 1) * size)
					abort();
				if (k % 3 == 0) {
#pragma omp task shared(tasks)
#pragma omp atomic
					tasks++;
				}
#pragma omp barrier
			}
			busy(&seed, 300);
#pragma omp task shared(tasks)
			{
				struct timespec t = {0, 100000};

				nanosleep(&t, NULL);
#pragma omp task shared(tasks)
#pragma omp atomic
				tasks++;
			}
		}
		total += tasks;
		if (tasks != 5 * (1 + i % n))
			abort();
	}
	return total == 0;
}
