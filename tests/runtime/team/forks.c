/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fork() outside of regions: parent and child go on with regions of their own. */
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(int n)
{
	int sum = 0;

#pragma omp parallel num_threads(n) reduction(+ : sum)
	{
#pragma omp barrier
		sum++;
	}
	if (sum != n)
		abort();
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		int status;
		pid_t child;

		region(1 + i % 4);
		child = fork();
		if (child < 0)
			abort();
		if (child == 0) {
			region(4);
			region(2);
			if (i % 2)
				_exit(0);
			exit(0);
		}
		region(3);
		if (waitpid(child, &status, 0) != child || status)
			abort();
	}
	return 0;
}
