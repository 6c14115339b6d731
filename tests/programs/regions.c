/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * regions N M: works for ever: rounds of a region of N threads. Each thread encounters the same inner region of
 * M threads, at about the same time, and then a region of one thread. On SIGUSR1 it prints the number of rounds.
 */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "park.h"

static volatile sig_atomic_t asked;
static long calls;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

__attribute__((noinline)) void work(int thread);
void work(int thread)
{
#pragma omp atomic
	calls += thread >= 0;
}

/* Nothing is shared: the argument of the region's function is the same in all calls. */
__attribute__((noinline)) void inner(void);
void inner(void)
{
#pragma omp parallel
	work(omp_get_thread_num());
}

__attribute__((noinline)) void alone(int n);
void alone(int n)
{
#pragma omp parallel num_threads(1)
	work(n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2, m = argc > 2 ? atoi(argv[2]) : 2;

	signal(SIGUSR1, on_signal);
	omp_set_max_active_levels(2);
	omp_set_dynamic(0);
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (long round = 1;; round++) {
#pragma omp parallel num_threads(n)
		{
			omp_set_num_threads(m);
			inner();
			alone(omp_get_thread_num());
		}
		if (asked) {
			asked = 0;
			park_say("{\"rounds\":%ld,\"calls\":%ld,\"failed\":0}", round, calls);
		}
		nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
	}
}
