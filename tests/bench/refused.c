/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * refused N CALLS: a team of N, where N - 1 threads sleep in their barrier.
 * On SIGUSR1, thread 0 calls spot() CALLS times and prints how many ns each call took: {"ns":…}.
 * The difference to a run without a breakpoint is the cost of a debugger's breakpoint that does not count.
 */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "park.h"

__attribute__((noinline)) void spot(int i);
void spot(int i)
{
	__asm__ volatile("" ::"r"(i) : "rbx"); /* a register that it saves first, as most functions do */
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void call_when_told(int calls)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while (sigwait(&set, &sig) == 0) {
		double began = now_ns();

		for (int i = 0; i < calls; i++)
			spot(i);
		park_say("{\"ns\":%.0f}", (now_ns() - began) / calls);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, calls = argc > 2 ? atoi(argv[2]) : 1000;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	park_begin(1);
#pragma omp parallel num_threads(n)
	if (omp_get_thread_num() == 0) {
		park_say("{\"tid\":%d,\"by\":\"sigwait\"}", park_tid());
		call_when_told(calls);
	}
}
