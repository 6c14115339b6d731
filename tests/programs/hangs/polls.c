/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One of three threads polls for a flag that is never set; the others are at the barrier. argv[1] is the way: sleep,
 * long (sleeps of 0.8 s), condition, poll, yield, or spin without a call. With read it sleeps in one call, which the
 * kernel starts again after each signal of a timer.
 */
#include "hang.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int is_set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void by_sleep(void)
{
	while (!is_set)
		usleep(5000); /* HERE */
}

static void by_long(void)
{
	while (!is_set)
		usleep(800000); /* HERE */
}

static void by_condition(void)
{
	struct timespec until;

	while (!is_set) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&condition, &mutex, &until); /* HERE */
		pthread_mutex_unlock(&mutex);
	}
}

static void by_poll(void)
{
	while (!is_set)
		poll(NULL, 0, 3); /* HERE */
}

static void by_yield(void)
{
	while (!is_set)
		sched_yield(); /* HERE */
}

static void by_spin(void)
{
	while (!is_set) /* HERE */
		;
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void by_read(void)
{
	struct itimerval every = {{0, 20000}, {0, 20000}};
	int pipes[2];
	char byte;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	if (pipe(pipes) || setitimer(ITIMER_REAL, &every, NULL))
		return;
	while (read(pipes[0], &byte, 1) != 1) /* HERE */
		;
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"sleep", by_sleep}, {"long", by_long}, {"condition", by_condition}, {"poll", by_poll}, {"yield", by_yield}, {"spin", by_spin},
	{"read", by_read},
};

int main(int argc, char **argv)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm, .sa_flags = SA_RESTART}, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
#pragma omp parallel num_threads(3)
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (omp_get_thread_num() == 1 && argc > 1 && !strcmp(argv[1], ways[i].name))
			ways[i].run();
	}
	return 0;
}
