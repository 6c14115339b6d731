/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* offload_llvm: for clang with a device whose code the host executes. A target task never ends. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	static int a[4];

	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait map(tofrom : a) depend(out : a) /* nowait */
		while (*(volatile int *)a == 0)
			;
#pragma omp taskwait
	}
}
