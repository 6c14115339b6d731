/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * execs MS: a team that sleeps for MS milliseconds; then the process replaces its
 * program by the same one. It exits when its standard input is a pipe without a writer.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	useconds_t us = (useconds_t)(argc > 1 ? atoi(argv[1]) : 0) * 1000;
	struct pollfd input = {.fd = STDIN_FILENO};

#pragma omp parallel num_threads(3)
	usleep(us);
	if (poll(&input, 1, 0) > 0 && input.revents & POLLHUP)
		return 0;
	execv("/proc/self/exe", argv);
	return 1;
}
