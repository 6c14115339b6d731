/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Within a critical, thread 1 reads from a pipe that never gets data. */
#include "hang.h"

static int held, pipes[2];
volatile int work;

__attribute__((noinline)) static void read_in_critical(void)
{
	char c;

#pragma omp critical(input)
	{
		hang_come(&held);
		work += (int)read(pipes[0], &c, 1); /* HERE */
	}
}

int main(void)
{
	if (pipe(pipes))
		return 1;
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() != 1)
			hang_await(&held, 1);
		read_in_critical();
	}
	return 0;
}
