/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * debuggee [N [ROUNDS]]: a program for tests of breakpoints. main() calls solve(), which opens
 * regions of N threads (3). They meet in add() one after the other and, with HERE-marked lines, in
 * a nested region and a task. With N of 1 there is only one thread. Built without optimisation.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long sum, tasks_done;
static int left;

static void add(int n)
{
#pragma omp critical(total)
	sum += n; /* HERE add */
}

static void count(int n)
{
#pragma omp atomic
	tasks_done += n; /* HERE task */
}

static void inner(int outer, int n)
{
#pragma omp parallel num_threads(n > 1 ? 2 : 1)
	add(10 * outer + omp_get_thread_num()); /* HERE nested */
}

/* Wait until all @n members have left the runtime's barrier: a breakpoint after this finds no thread in it. */
static void leave(int n, int round)
{
	__atomic_add_fetch(&left, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&left, __ATOMIC_ACQUIRE) < n * (round + 1))
		;
}

static void solve(int n, int round)
{
#pragma omp parallel num_threads(n)
	{
		int me = omp_get_thread_num();

		add(me + round); /* HERE region */
#pragma omp barrier
		leave(n, round);
		if (round == 1) /* HERE joined */
			inner(me, n);
#pragma omp single
		{
#pragma omp task
			count(1);
#pragma omp taskwait
		}
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3, rounds = argc > 2 ? atoi(argv[2]) : 2;

	omp_set_max_active_levels(2);
	for (int round = 0; round < rounds; round++)
		solve(n, round);
	printf("sum %ld, tasks %ld\n", sum, tasks_done);
	return 0;
}
