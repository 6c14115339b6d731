/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * points: on SIGUSR1, counts regions, tasks and threads of every kind, calls done(), prints the counts, and parks:
 * {"parallel":…,"task":…,"threads":[tids that started],"ended":[tids that have exited]}.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "park.h"

static int n_parallel, n_task;
static int tids[64], n_tids;

static void count(int *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

static void i_am_here(void)
{
	int tid = park_tid();

#pragma omp critical
	{
		int i = 0;
		while (i < n_tids && tids[i] != tid)
			i++;
		if (i == n_tids)
			tids[n_tids++] = tid;
	}
}

static void tasks(void)
{
#pragma omp task
	count(&n_task);
#pragma omp task if (0)
	{
		count(&n_task);
#pragma omp task
		count(&n_task);
	}
#pragma omp task final(1)
	{
		count(&n_task);
#pragma omp task
		count(&n_task);
	}
#pragma omp taskloop num_tasks(3)
	for (int i = 0; i < 3; i++)
		count(&n_task);
#pragma omp taskwait
}

static void regions(int n)
{
	count(&n_parallel);
#pragma omp parallel num_threads(n)
	{
		i_am_here();
		count(&n_parallel);
#pragma omp parallel num_threads(2)
		{
			i_am_here();
			if (omp_get_thread_num() == 0)
				tasks();
		}
		count(&n_parallel);
#pragma omp parallel num_threads(1)
		tasks();
	}
	count(&n_parallel);
#pragma omp parallel for num_threads(n) schedule(dynamic)
	for (int i = 0; i < 4; i++)
		i_am_here();
	count(&n_parallel);
#pragma omp parallel sections num_threads(n)
	{
#pragma omp section
		i_am_here();
#pragma omp section
		i_am_here();
	}
}

static void *visitor(void *arg)
{
	(void)arg;
	regions(2);
	return NULL;
}

__attribute__((noinline)) void done(void);
void done(void)
{
	__asm__ volatile("");
}

static int is_there(int tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

static void say(int n_ended)
{
	char text[2][512];

	for (int k = 0; k < 2; k++) {
		size_t len = 0;

		text[k][0] = '\0';
		/* The visitor and its pool started last; the initial thread existed before. */
		for (int i = k ? n_tids - n_ended : 0; i < n_tids; i++)
			if (tids[i] != getpid())
				len += snprintf(text[k] + len, sizeof(text[k]) - len, "%s%d", len ? "," : "", tids[i]);
	}
	park_say("{\"parallel\":%d,\"task\":%d,\"threads\":[%s],\"ended\":[%s]}", n_parallel, n_task, text[0], text[1]);
}

int main(void)
{
	pthread_t thread;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"sigwait\"}", park_tid());
	sigwait(&set, &sig);
	regions(3);

	int n = n_tids;
	pthread_create(&thread, NULL, visitor, NULL);
	pthread_join(thread, NULL);
	for (int i = n; i < n_tids; i++)
		while (is_there(tids[i]))
			usleep(1000);
	done();
	say(n_tids - n);
	park();
}
