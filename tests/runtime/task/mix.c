/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tasks of every kind at once, checked by sums and orders. Arguments: rounds, threads. Prints "ok", or what was wrong and
 * exits with 1. Run by test_task.py.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void check(const char *what, long have, long want)
{
	if (have == want)
		return;
#pragma omp atomic
	failures++;
	printf("%s: %ld instead of %ld\n", what, have, want);
}

static long fib(int n)
{
	long x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
#pragma omp task shared(y)
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}

static void tree(int depth, long *leaves)
{
	if (!depth) {
#pragma omp atomic
		++*leaves;
		return;
	}
#pragma omp task
	tree(depth - 1, leaves);
#pragma omp task
	tree(depth - 1, leaves);
}

static void stencil(int cells, int sweeps)
{
	long *a = calloc((size_t)cells + 2, sizeof(*a));

	for (int s = 0; s < sweeps; s++)
		for (int i = 1; i <= cells; i++)
#pragma omp task depend(in : a[i - 1], a[i + 1]) depend(inout : a[i])
		{
			/* In sweep s, the left neighbour is one ahead, the right one is not. */
			if (a[i] != s || (i > 1 && a[i - 1] != s + 1) || (i < cells && a[i + 1] != s))
				check("stencil", a[i], s);
			a[i]++;
		}
#pragma omp taskwait
	for (int i = 1; i <= cells; i++)
		check("stencil at the end", a[i], sweeps);
	free(a);
}

/* Writers alone, readers together. */
static void readers_and_writers(int n)
{
	long value = 0, seen = 0, sum = 0;
	int inside = 0;

	for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : value) shared(value, inside)
		{
			check("readers beside a writer", __atomic_load_n(&inside, __ATOMIC_RELAXED), 0);
			value++;
		}
		for (int j = 0; j < 5; j++) {
			long want = i + 1;

			sum += want;
#pragma omp task depend(in : value) shared(value, seen, inside)
			{
				__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);
				check("value", value, want);
#pragma omp atomic
				seen += value;
				__atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
			}
		}
#pragma omp task if (0) depend(mutexinoutset : value) shared(value)
		check("undeferred", value, i + 1);
	}
#pragma omp taskwait depend(inout : value)
	check("readers", seen, sum);
}

static void groups(int depth, long *n)
{
	long mine = 0;

	if (!depth)
		return;
#pragma omp taskgroup
	{
		for (int i = 0; i < 3; i++)
#pragma omp task shared(mine)
		{
#pragma omp task shared(mine)
			{
#pragma omp atomic
				mine++;
				groups(depth - 1, n);
			}
		}
	}
	check("taskgroup", mine, 3);
#pragma omp atomic
	++*n;
}

static long reduce(int n)
{
	long sum = 0;

#pragma omp taskgroup task_reduction(+ : sum)
	{
		for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+ : sum)
		{
			sum += i;
#pragma omp task in_reduction(+ : sum)
			sum += 1;
		}
#pragma omp taskloop in_reduction(+ : sum) nogroup grainsize(7)
		for (int i = 0; i < n; i++)
			sum += 2;
	}
	return sum;
}

static void *fulfill(void *event)
{
	omp_fulfill_event(*(omp_event_handle_t *)event);
	return NULL;
}

static void detach(int foreign)
{
	omp_event_handle_t event, own;
	int order = 0, x __attribute__((unused)); /* gcc takes its address for dependences only */
	pthread_t thread;

#pragma omp task detach(event) depend(out : x) shared(order)
	order = 1;
#pragma omp task depend(inout : x) shared(order)
	{
		check("detached before", order, 1);
		order = 2;
	}
#pragma omp task detach(own) depend(in : x)
	omp_fulfill_event(own);
	if (foreign) {
		if (pthread_create(&thread, NULL, fulfill, &event))
			abort();
	} else {
		omp_fulfill_event(event);
	}
#pragma omp taskwait
	check("detached after", order, 2);
	if (foreign)
		pthread_join(thread, NULL);
}

static void priorities(long *n)
{
	for (int i = 0; i < 20; i++)
#pragma omp task priority(i)
	{
#pragma omp atomic
		++*n;
#pragma omp taskyield
	}
}

/* Children that outlive an undeferred parent, with a control variable of its own. */
static void orphans(void)
{
	for (int i = 0; i < 10; i++)
#pragma omp task if (i & 1)
	{
		omp_set_num_threads(i + 2);
#pragma omp task
		{
			check("num_threads", omp_get_max_threads(), i + 2);
#pragma omp task
			check("num_threads of a child's child", omp_get_max_threads(), i + 2);
		}
	}
}

static void one_round(int round, int threads)
{
	long leaves = 0, n_groups = 0, n_priorities = 0, flat = 0, loop = 0;

#pragma omp parallel num_threads(threads)
	{
#pragma omp single nowait
		{
			check("fib", fib(13), 233);
			stencil(8, 20);
			detach(round % 4 == 0);
		}
#pragma omp single
		{
			readers_and_writers(10);
			check("reduction", reduce(100), 4950 + 100 + 200);
			groups(3, &n_groups);
		}
		check("groups", n_groups, 1 + 3 + 9);
#pragma omp single
		tree(9, &leaves);
		check("leaves", leaves, 512);
		for (int i = 0; i < 100; i++)
#pragma omp task
		{
#pragma omp atomic
			flat++;
		}
#pragma omp taskwait
		priorities(&n_priorities);
		orphans();
#pragma omp barrier
		check("flat", flat, 100L * omp_get_num_threads());
		check("priorities", n_priorities, 20L * omp_get_num_threads());
#pragma omp single
#pragma omp taskloop num_tasks(40)
		for (int i = 0; i < 200; i++)
#pragma omp atomic
			loop++;
	}
	check("taskloop", loop, 200);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20, threads = argc > 2 ? atoi(argv[2]) : 4;

	for (int i = 0; i < rounds; i++)
		one_round(i, 1 + i % threads);
	if (!failures)
		puts("ok");
	return failures != 0;
}
