/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * offload_llvm [sleep|many|loop|again]: for clang with a device whose code the host executes. A target task never ends:
 * it spins, or sleeps. With many, there are four such tasks, and one that could end. With loop, target regions and data
 * regions of device 1 follow each other. With again, taskwait follows four target tasks that end, for ever.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static int a[4], b[4];
	const char *mode = argc > 1 ? argv[1] : "";
	int loops = strcmp(mode, "loop") == 0, is_many = strcmp(mode, "many") == 0;
	int sleeps = is_many || strcmp(mode, "sleep") == 0;

	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		while (strcmp(mode, "again") == 0) {
			for (int i = 0; i < 4; i++) {
#pragma omp target nowait map(tofrom : a)
				usleep(1000);
			}
#pragma omp taskwait
		}
		while (loops) {
#pragma omp target data map(tofrom : a) device(1)
#pragma omp target map(tofrom : a) device(1)
			a[0]++;
			usleep(1000);
		}
		for (int i = 0; i < (is_many ? 4 : 1); i++) {
#pragma omp target nowait map(tofrom : a) map(to : sleeps) /* nowait */
			while (*(volatile int *)a == 0) {
				if (sleeps)
					pause();
			}
		}
#pragma omp target nowait map(tofrom : b) if (is_many)
		b[0]++;
#pragma omp taskwait
	}
}
