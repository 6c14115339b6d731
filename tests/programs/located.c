/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * located MODE: threads in constructs, which print their lines in this file. "waits": the construct that a
 * thread waits in (0: none). "region": its parallel construct (0: a compiler does not pass it to the runtime, or
 * it is serialized). "task": the construct of the explicit task that it executes. Modes: the names in main().
 */
#include <omp.h>
#include <string.h>

#include "oracle.h"

#define NEXT (__LINE__ + 1)

static int entered;

static void hold(int region, int task)
{
	oracle_say(BY_PAUSE, "\"waits\":0,\"region\":%d,\"task\":%d", region, task);
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	park();
}

static void announce_by(const char *by, int waits, int region)
{
	park_await(&entered, 1);
	oracle_say(by, "\"waits\":%d,\"region\":%d,\"task\":0", waits, region);
}

static void announce(int waits, int region)
{
	announce_by(BY_FUTEX, waits, region);
}

static void barrier(void)
{
	int region = NEXT;
#pragma omp parallel num_threads(3)
	{
		if (!omp_get_thread_num())
			hold(region, 0);
		announce(NEXT, region);
#pragma omp barrier
	}
}

/* The encountering thread waits at the region's end, too. */
static void region_end(void)
{
	int region = NEXT;
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			hold(region, 0);
		announce(region, region);
	}
}

/* After another barrier, whose place is an old one. */
static void single(void)
{
	int region = NEXT, waits;
#pragma omp parallel num_threads(3) private(waits)
	{
#pragma omp barrier
		waits = __LINE__ + 4;
		if (omp_get_thread_num())
			announce(waits, region);
		/* Thread 0 is the first. */
#pragma omp single
		hold(region, 0);
	}
}

static void copyprivate(void)
{
	int region = NEXT, waits, value = 0;
#pragma omp parallel num_threads(3) private(waits) firstprivate(value)
	{
#pragma omp barrier
		waits = __LINE__ + 3;
		if (omp_get_thread_num())
			announce(waits, region);
#pragma omp single copyprivate(value)
		hold(region, 0);
	}
}

static void loop(void)
{
	int region = NEXT;
#pragma omp parallel num_threads(3)
	{
		int waits = NEXT;
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			if (!i)
				hold(region, 0);
			announce(waits, region);
		}
		__asm__ volatile("");
	}
}

/* So many sums that the threads add them up in a tree, at a barrier of its own. */
static void reduction(void)
{
	double a = 0, b = 0, c = 0, d = 0;
	int region = NEXT;
#pragma omp parallel num_threads(3)
	{
		int waits = __LINE__ + 2;
#pragma omp barrier
#pragma omp for schedule(static, 1) reduction(+ : a, b, c, d)
		for (int i = 0; i < 3; i++) {
			if (!i)
				hold(region, 0);
			announce(waits, region);
			a += i, b += i, c += i, d += i;
		}
		__asm__ volatile("");
	}
}

/* Another thread executes the task: the generating thread waits until it has started. */
static void taskwait(void)
{
	int region = NEXT;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		int task = NEXT;
#pragma omp task
		hold(region, task);
		announce_by(BY_RUN, NEXT, region);
#pragma omp taskwait
	}
}

static void taskgroup(void)
{
	int region = NEXT;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		int waits = NEXT;
#pragma omp taskgroup
		{
			int task = NEXT;
#pragma omp task
			hold(region, task);
			announce_by(BY_RUN, waits, region);
		}
	}
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
	{
		int region = NEXT;
#pragma omp parallel num_threads(2)
		{
			if (omp_get_thread_num())
				announce(region, region);
			else
				hold(region, 0);
		}
	}
}

/* For the second region's team, the first region's place is outdated. */
static void again(void)
{
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
	region_end();
}

/* libomp keeps one place for all regions of a nest: here that of a region that has ended. */
static void serialized(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp parallel num_threads(1)
		__asm__ volatile("");
		hold(0, 0);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
		int lines;
	} modes[] = {
		{"barrier", barrier, 3}, {"region_end", region_end, 3}, {"single", single, 3}, {"copyprivate", copyprivate, 3},
		{"loop", loop, 3}, {"reduction", reduction, 3}, {"taskwait", taskwait, 2}, {"taskgroup", taskgroup, 2},
		{"nested", nested, 4}, {"again", again, 3}, {"serialized", serialized, 1},
	};

	omp_set_max_active_levels(2);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		park_begin(modes[i].lines);
		modes[i].run();
	}
	return 0;
}
