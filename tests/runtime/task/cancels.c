/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cancellation must end what it names, and nothing that comes later. With OMP_CANCELLATION=true. */
#include <omp.h>
#include <stdio.h>

static int failures;

static void check(const char *what, int ok)
{
	if (ok)
		return;
	failures++;
	printf("%s\n", what);
}

static void loops(int threads)
{
	int cancelled = 0, complete = 0, sections = 0;

#pragma omp parallel num_threads(threads)
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 100; i++) {
#pragma omp cancel for
#pragma omp atomic
			cancelled++;
		}
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
#pragma omp atomic
			complete++;
		}
#pragma omp for
		for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == 99)
#pragma omp atomic
			complete++;
		}
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp cancellation point sections
#pragma omp atomic
				sections++;
			}
#pragma omp section
			{
#pragma omp atomic
				sections++;
			}
		}
	}
	check("a cancelled loop went on", cancelled == 0);
	check("a loop that follows a cancelled one was cancelled", complete > 100 && complete <= 199);
	check("sections that follow a cancelled loop were cancelled", sections == 2);
}

static void groups(int threads)
{
	int ran = 0, outside = 0;

#pragma omp parallel num_threads(threads)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task shared(ran)
			{
#pragma omp cancel taskgroup
				ran++;
			}
#pragma omp taskwait
			for (int i = 0; i < 50; i++)
#pragma omp task shared(ran)
			{
#pragma omp atomic
				ran++;
			}
		}
#pragma omp taskgroup
		for (int i = 0; i < 50; i++)
#pragma omp task shared(outside)
		{
#pragma omp atomic
			outside++;
		}
	}
	check("tasks of a cancelled group ran", ran == 0);
	check("tasks of the next group were cancelled", outside == 50);
}

int main(void)
{
	check("cancellation is off", omp_get_cancellation());
	for (int i = 0; i < 200; i++) {
		loops(1 + i % 4);
		groups(1 + i % 4);
	}
	return failures != 0;
}
