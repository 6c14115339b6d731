/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* late: links the runtime, prints its first line before it has used the runtime, and starts using OpenMP on SIGUSR1. */
#include <signal.h>
#include <stddef.h>

#include "oracle.h"

/* Not in main(): clang asks the runtime for the thread's number at the start of a function. */
__attribute__((noinline)) static void run(void)
{
#pragma omp parallel num_threads(2)
	oracle_park();
}

int main(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	park_begin(0);
	sigwait(&set, &sig);
	park_begin(2);
	run();
}
