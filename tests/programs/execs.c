/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* execs MS: a team that sleeps for MS milliseconds; then the process replaces its program by the same one. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	useconds_t us = (useconds_t)(argc > 1 ? atoi(argv[1]) : 0) * 1000;

#pragma omp parallel num_threads(3)
	usleep(us);
	execv("/proc/self/exe", argv);
	return 1;
}
