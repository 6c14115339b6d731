/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * constructs: on SIGUSR1, two threads execute constructs of every kind and count the events of each.
 * Then it calls done() and prints the counts: {"barrier_enter":…,…}. Each signal repeats this.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>

#include "park.h"

#define N 2

static struct {
	int barrier, implicit, ordered, critical, atomic, wanted, lock, single, executed, task, taskwait;
} counts;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static long double sum; /* too wide for an instruction */

static void count(int *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

static void excluding(void)
{
#pragma omp critical
	count(&counts.critical);
#pragma omp critical(named)
	count(&counts.critical);
#ifndef __clang__ /* which calls libatomic */
#pragma omp atomic
	sum += 1;
	count(&counts.atomic);
#endif
	count(&counts.wanted);
	omp_set_lock(&lock);
	count(&counts.lock);
	count(&counts.wanted);
	/* The other thread cannot hold it, too. */
	if (omp_test_lock(&lock))
		counts.lock = -1000;
	omp_unset_lock(&lock);
	count(&counts.wanted);
	omp_set_nest_lock(&nest);
	count(&counts.lock);
	omp_unset_nest_lock(&nest);
}

static void meet(void)
{
	excluding();
	count(&counts.barrier);
#pragma omp barrier
	for (int i = 0; i < 3; i++) {
		count(&counts.single);
#pragma omp single nowait
		count(&counts.executed);
	}
	count(&counts.implicit);
#pragma omp for ordered schedule(dynamic)
	for (int i = 0; i < 5; i++) {
#pragma omp ordered
		count(&counts.ordered);
	}
	count(&counts.task);
#pragma omp task
	sum += 0;
	count(&counts.taskwait);
#pragma omp taskwait
}

__attribute__((noinline)) void done(void);
void done(void)
{
	__asm__ volatile("");
}

int main(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	park_begin(1);
#pragma omp parallel num_threads(N)
#pragma omp masked
	park_say("{\"tid\":%d,\"by\":\"sigwait\"}", park_tid());
	while (sigwait(&set, &sig) == 0) {
#pragma omp parallel num_threads(N)
		meet();
		done();
		park_say("{\"barrier\":%d,\"implicit_barrier\":%d,\"ordered\":%d,\"critical\":%d,\"atomic\":%d,\"lock_acquire\":%d,"
			 "\"lock\":%d,\"single_enter\":%d,\"single_begin\":%d,\"task_create\":%d,\"taskwait\":%d}",
			 counts.barrier, counts.implicit, counts.ordered, counts.critical, counts.atomic, counts.wanted, counts.lock,
			 counts.single, counts.executed, counts.task, counts.taskwait);
	}
}
