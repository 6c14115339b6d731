/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload_llvm [sleep]: for clang with a device whose code the host executes. A target task never ends: it spins, or
 * sleeps.
 */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static int a[4];
	int sleeps = argc > 1;

	(void)argv;
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait map(tofrom : a) map(to : sleeps) depend(out : a) /* nowait */
		while (*(volatile int *)a == 0) {
			if (sleeps)
				pause();
		}
#pragma omp taskwait
	}
}
