/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The child of a fork has its parent's pool, but none of its threads. The parent waits; the child's region never ends. */
#include "hang.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

volatile int work;

__attribute__((noinline)) static void region(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp atomic
		work++;
	}
}

int main(void)
{
	region();
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		region(); /* HERE */
		return 0;
	}
	printf("{\"child\": %d}\n", (int)child);
	fflush(stdout);
	return waitpid(child, NULL, 0) < 0;
}
