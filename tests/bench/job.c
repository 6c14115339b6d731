/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* job N ROUNDS: for each input line, N threads do the same work; prints its time in seconds. For profile.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 8;
	long rounds = argc > 2 ? atol(argv[2]) : 1000;
	uint64_t sum = 0;

	while (getchar() != EOF) {
		double begin = now();

		for (int i = 0; i < 20; i++) {
#pragma omp parallel for num_threads(n) reduction(+ : sum) schedule(static)
			for (long k = 0; k < n * rounds; k++) {
				uint64_t x = (uint64_t)k + 1;

				for (int j = 0; j < 1000; j++)
					x = x * 6364136223846793005u + 1442695040888963407u;
				sum += x;
			}
		}
		printf("%.6f\n", now() - begin);
		fflush(stdout);
	}
	return sum == 1;
}
