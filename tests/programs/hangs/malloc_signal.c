/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A signal handler allocates memory while the code that it interrupted holds the lock of the arena. "crowd": healthy,
 * three threads share one arena and no signal arrives.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "hang.h"

/* glibc's cache of a thread has no space for more than 7 blocks of a size, and for none of a larger size. */
enum { BLOCKS = 32, SIZE = 2000 };

static void allocate(void)
{
	void *volatile blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(SIZE);
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i]);
}

static void on_signal(int sig)
{
	void *volatile p = malloc(SIZE); /* HERE */

	(void)sig;
	free(p);
}

static void send_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	const struct itimerspec often = {{0, 100000}, {0, 100000}};
	timer_t timer;

	event._sigev_un._tid = getpid();
	sigaction(SIGUSR1, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		mallopt(M_ARENA_MAX, 1);
#pragma omp parallel num_threads(3)
	{
		if (argc == 1 && omp_get_thread_num() == 0)
			send_signals();
		while (argc > 1 || omp_get_thread_num() == 0)
			allocate();
	}
	return 0;
}
