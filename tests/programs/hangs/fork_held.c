/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The child of a fork waits for an object that a thread of its parent held at the fork. The argument
 * names it: a mutex, a lock, a nestable lock or a critical. "own": the forking thread holds the mutex
 * itself. The child's main thread may release it then, and another thread of the child waits for it.
 */
#include "hang.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static const char *kind;
static int held, keeper_tid;
volatile int work;

static void keep(void)
{
	hang_come(&held);
	pause();
}

static void take(void (*then)(void))
{
	if (!strcmp(kind, "mutex") || !strcmp(kind, "own"))
		pthread_mutex_lock(&journal); /* HERE */
	else if (!strcmp(kind, "lock"))
		omp_set_lock(&lock); /* HERE */
	else if (!strcmp(kind, "nest"))
		omp_set_nest_lock(&nest); /* HERE */
	if (strcmp(kind, "critical"))
		then();
#pragma omp critical(sum) /* HERE */
	then();
}

static void note(void)
{
	work++;
}

static void *keeper(void *arg)
{
	keeper_tid = (int)syscall(SYS_gettid);
	take(keep);
	return arg;
}

static void *waiter(void *arg)
{
	omp_get_thread_num();
	pthread_mutex_lock(&journal);
	return arg;
}

static void child(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (strcmp(kind, "own"))
		take(note);
	pthread_create(&thread, NULL, waiter, NULL);
	pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	kind = argc > 1 ? argv[1] : "mutex";
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	note();
	if (!strcmp(kind, "own"))
		pthread_mutex_lock(&journal);
	else if (pthread_create(&thread, NULL, keeper, NULL))
		return 1;
	hang_await(&held, strcmp(kind, "own") != 0);
	pid_t pid = fork();

	if (!pid)
		child();
	printf("{\"child\": %d, \"keeper\": %d}\n", (int)pid, keeper_tid);
	fflush(stdout);
	return waitpid(pid, NULL, 0) < 0;
}
