/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * doacross [KIND]: an iteration never posts, and the next one waits for it. KIND is the schedule of the iterations:
 * "even", "chunks", "dynamic", of an "unsigned" loop or a "square" of two; without it each thread has one.
 */
#include <string.h>

#include "hang.h"

volatile int work;
volatile unsigned long long first = 1ull << 63;

__attribute__((noinline)) static void late(void)
{
	for (;;)
		pause(); /* HERE */
}

static void even(void)
{
#pragma omp parallel for ordered(1) schedule(static) num_threads(3)
	for (int i = 0; i < 12; i++) {
		if (i == 5)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += i;
#pragma omp ordered depend(source)
	}
}

static void chunks(void)
{
#pragma omp parallel for ordered(1) schedule(static, 2) num_threads(3)
	for (int i = 0; i < 12; i++) {
		if (i == 3)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += i;
#pragma omp ordered depend(source)
	}
}

static void dynamic(void)
{
#pragma omp parallel for ordered(1) schedule(dynamic, 1) num_threads(3)
	for (int i = 0; i < 12; i++) {
		if (i == 1)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += i;
#pragma omp ordered depend(source)
	}
}

static void count_up(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
	for (unsigned long long i = first; i < first + 3; i++) {
		if (i == first + 1)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += (int)i;
#pragma omp ordered depend(source)
	}
}

static void square(void)
{
#pragma omp parallel for ordered(2) schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++) {
			if (i == 1 && k == 1)
				late();
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
			work += k;
#pragma omp ordered depend(source)
		}
	}
}

static void one_each(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			late();
#pragma omp ordered depend(sink : i - 1)
		work += i;
#pragma omp ordered depend(source)
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"even", even}, {"chunks", chunks}, {"dynamic", dynamic}, {"unsigned", count_up}, {"square", square}};

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	}
	one_each();
	return 0;
}
