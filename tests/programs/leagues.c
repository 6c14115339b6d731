/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * leagues: works for ever: rounds of a league, a target region, and a target
 * region that is a league. On SIGUSR1 it prints the number of rounds.
 */
#include <omp.h>
#include <signal.h>
#include <time.h>

#include "park.h"

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

int main(void)
{
	long sum = 0;

	signal(SIGUSR1, on_signal);
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (long round = 1;; round++) {
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum++;
#pragma omp target map(tofrom : sum)
		sum++;
#pragma omp target teams num_teams(2) map(tofrom : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
		sum++;
		if (asked) {
			asked = 0;
			park_say("{\"rounds\":%ld,\"failed\":%d}", round, sum <= 0);
		}
		nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
	}
}
