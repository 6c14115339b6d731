/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rounds N [fork]: works for ever: rounds of a region of N threads. Each calls work() and
 * executes one task. With "fork", every round also forks a child that calls work() and
 * exits. On SIGUSR1 it prints the number of rounds and the number of children that failed.
 */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "park.h"

static volatile sig_atomic_t asked;
static long calls;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

__attribute__((noinline)) void work(int thread, long round);
void work(int thread, long round)
{
#pragma omp atomic
	calls += thread + round >= 0;
}

__attribute__((noinline)) void chore(long round);
void chore(long round)
{
#pragma omp task firstprivate(round)
	work(0, round);
}

static int child_failed(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		work(0, 0);
		_exit(0);
	}
	return waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	int forks = argc > 2 && strcmp(argv[2], "fork") == 0;
	long failed = 0;

	signal(SIGUSR1, on_signal);
	park_begin(n);
#pragma omp parallel num_threads(n)
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (long round = 1;; round++) {
#pragma omp parallel num_threads(n)
		{
			work(omp_get_thread_num(), round);
			chore(round); /* line of a call in a region */
		}
		if (forks)
			failed += child_failed();
		if (asked) {
			asked = 0;
			park_say("{\"rounds\":%ld,\"calls\":%ld,\"failed\":%ld}", round, calls, failed);
		}
		nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
	}
}
