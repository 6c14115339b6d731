/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload_llvm [sleep|loop]: for clang with a device whose code the host executes. A target task never ends: it spins,
 * or sleeps. With loop, target regions and data regions of device 1 follow each other.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static int a[4];
	int sleeps = argc > 1 && strcmp(argv[1], "sleep") == 0, loops = argc > 1 && !sleeps;

	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		while (loops) {
#pragma omp target data map(tofrom : a) device(1)
#pragma omp target map(tofrom : a) device(1)
			a[0]++;
			usleep(1000);
		}
#pragma omp target nowait map(tofrom : a) map(to : sleeps) depend(out : a) /* nowait */
		while (*(volatile int *)a == 0) {
			if (sleeps)
				pause();
		}
#pragma omp taskwait
	}
}
