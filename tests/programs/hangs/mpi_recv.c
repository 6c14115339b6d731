/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All threads wait in functions with MPI's names. */
#include "hang.h"

int MPI_Recv(void *buf, int n);

static int pipes[2];

__attribute__((noinline)) int MPI_Recv(void *buf, int n)
{
	return (int)read(pipes[0], buf, (size_t)n) + 1;
}

int main(void)
{
	if (pipe(pipes))
		return 1;
#pragma omp parallel num_threads(3)
	{
		char c;

		if (MPI_Recv(&c, 1) < 0) /* HERE */
			puts("");
	}
	return 0;
}
