/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A task has not started, and the thread that waits in taskwait may not execute it: it descends from another task. With
 * argument "own", the waiting task has generated it, in a healthy way.
 */
#include "hang.h"
#include <string.h>

static int outer_started, inner_started, n_done;

__attribute__((noinline)) static void lost(void)
{
	for (;;)
		pause(); /* HERE */
}

static void outer(int is_own)
{
	hang_come(&outer_started);
#pragma omp task
	{
		hang_come(&inner_started);
		lost();
	}
	hang_await(&inner_started, 1);
	if (is_own) {
#pragma omp task
		hang_come(&n_done);
	}
#pragma omp taskwait
}

int main(int argc, char **argv)
{
	int is_own = argc > 1 && !strcmp(argv[1], "own");

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task
			outer(is_own);
			hang_await(&outer_started, 1);
		}
		if (omp_get_thread_num() == 2) {
			hang_await(&inner_started, 1);
			if (!is_own) {
#pragma omp task
				hang_come(&n_done);
			}
			lost();
		}
	}
	return 0;
}
