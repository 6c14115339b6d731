/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks that begin regions whose members make tasks, with events that are fulfilled in another region. Argument: rounds. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static long region(int depth)
{
	long sum = 0;

#pragma omp parallel num_threads(1 + depth % 3) reduction(+ : sum)
	{
		long mine = 0;

#pragma omp taskgroup
		for (int i = 0; i < 4; i++)
#pragma omp task shared(mine)
		{
			long n = depth ? region(depth - 1) : 1;

#pragma omp atomic
			mine += n;
		}
		sum += mine;
	}
	return sum;
}

static void events(void)
{
	int done = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 10; i++) {
		omp_event_handle_t event;

#pragma omp task detach(event) shared(done)
		{
#pragma omp atomic
			done++;
		}
#pragma omp task firstprivate(event)
		{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task firstprivate(event)
			omp_fulfill_event(event);
		}
#pragma omp taskwait
		if (done != i + 1)
			failures++;
	}
}

int main(int argc, char **argv)
{
	omp_set_max_active_levels(3);
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 20); i++) {
		/* depth 0: 1 thread, 4; 1: 2 threads, 4 each of that; 2: 3 threads */
		if (region(2) != 3 * 4 * 2 * 4 * 4)
			failures++;
		events();
	}
	if (!failures)
		puts("ok");
	return failures != 0;
}
