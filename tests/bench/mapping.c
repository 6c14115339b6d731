/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prints which threads get the iterations of a loop with schedule(static, 1): "CONSTRUCT round-robin", or "CONSTRUCT
 * other".
 */
#include <omp.h>
#include <stdio.h>

enum { THREADS = 4, ITERATIONS = 64 };

static void print(const char *construct, const int *owner)
{
	for (int i = 0; i < ITERATIONS; i++) {
		if (owner[i] != i % THREADS) {
			printf("%s other\n", construct);
			return;
		}
	}
	printf("%s round-robin\n", construct);
}

int main(void)
{
	int plain[ITERATIONS], ordered[ITERATIONS], doacross[ITERATIONS];

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < ITERATIONS; i++)
			plain[i] = omp_get_thread_num();
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < ITERATIONS; i++) {
#pragma omp ordered
			ordered[i] = omp_get_thread_num();
		}
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 0; i < ITERATIONS; i++) {
#pragma omp ordered depend(sink : i - 1)
			doacross[i] = omp_get_thread_num();
#pragma omp ordered depend(source)
		}
	}
	print("for_static1", plain);
	/* The names are those of epcc.c. */
	print("ordered/iter", ordered);
	print("doacross/iter", doacross);
	return 0;
}
