/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * events MODE: a parked team of four. On SIGUSR1, its process does one of the things that a target may do meanwhile:
 * exec (this program, as "again"), fork (a child that parks; prints its pid), exit, crash, or grow (ten more threads).
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"

static const char *mode;
static const char *self;

static void *parked(void *arg)
{
	(void)arg;
	park();
}

static void act(void)
{
	if (strcmp(mode, "exec") == 0) {
		execl(self, self, "again", (char *)NULL);
		_exit(1);
	} else if (strcmp(mode, "fork") == 0) {
		pid_t child = fork();
		if (child == 0)
			park();
		park_say("{\"child\":%d}", child);
	} else if (strcmp(mode, "exit") == 0) {
		_exit(3);
	} else if (strcmp(mode, "crash") == 0) {
		abort();
	} else if (strcmp(mode, "grow") == 0) {
		for (int i = 0; i < 10; i++) {
			pthread_t thread;
			pthread_create(&thread, NULL, parked, NULL);
		}
		park_say("{\"threads\":10}");
	}
}

int main(int argc, char **argv)
{
	sigset_t set;
	int sig;

	mode = argc > 1 ? argv[1] : "again";
	self = argv[0];
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	park_begin(4);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num())
			oracle_park();
		oracle_say("sigwait", "%s", "");
		while (sigwait(&set, &sig) == 0)
			act();
	}
}
