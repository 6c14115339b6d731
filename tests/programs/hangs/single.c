/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread that executes the single waits for input. */
#include "hang.h"

static int pipes[2];

__attribute__((noinline)) static void ask(void)
{
	char c;

	if (read(pipes[0], &c, 1) > 0) /* HERE */
		puts("");
}

int main(void)
{
	if (pipe(pipes))
		return 1;
#pragma omp parallel num_threads(4)
	{
#pragma omp single
		ask();
	}
	return 0;
}
