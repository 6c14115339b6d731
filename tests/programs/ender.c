/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ender: a pthread prints its view in a region, and exits on SIGUSR1; the main thread continues. */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

static void *end(void *arg)
{
#pragma omp parallel num_threads(1)
	oracle_say(BY_RUN, "\"ends\":true");
	while (!asked)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return arg;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	park_begin(1);
	pthread_create(&thread, NULL, end, NULL);
	pthread_join(thread, NULL);
	for (;;)
		pause();
}
