/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * pieces N: a team of N threads that repeat the same piece of arithmetic, without waiting for each other.
 * On SIGUSR1 it prints the number of pieces and the processor time of the process, in microseconds.
 */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "park.h"

#define PIECE 200000

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

static long long spent_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

__attribute__((noinline)) unsigned long piece(unsigned long x);
unsigned long piece(unsigned long x)
{
	for (long i = 0; i < PIECE; i++)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	return x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	unsigned long all = 0;
	long done = 0;

	signal(SIGUSR1, on_signal);
	park_begin(n);
#pragma omp parallel num_threads(n) reduction(^ : all)
	{
		park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
		for (all = (unsigned long)omp_get_thread_num(); all != 1;) {
			long now;

			all = piece(all | 2);
#pragma omp atomic capture
			now = ++done;
			if (asked && omp_get_thread_num() == 0) {
				asked = 0;
				park_say("{\"pieces\":%ld,\"us\":%lld}", now, spent_us());
			}
		}
	}
	return (int)all;
}
