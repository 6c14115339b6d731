/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The session's program: a region with a nested one in it, then another region. */
#include <omp.h>
#include <stdio.h>

static double field[64];
static int arrived;

static void relax(int i)
{
	field[i] = field[i] / 2 + i; /* BREAK */
}

static void sweep(void)
{
#pragma omp parallel num_threads(2)
	{
		int all = 0;

		/* So that all four are here when the first comes to relax(). */
#pragma omp atomic
		arrived++;
		while (all < 4) {
#pragma omp atomic read
			all = arrived;
		}
		relax(omp_get_ancestor_thread_num(1) * 2 + omp_get_thread_num());
	}
}

static void reduce(double *sum)
{
#pragma omp parallel num_threads(3)
	{
		double part = field[omp_get_thread_num()]; /* NEXT */

#pragma omp critical
		*sum += part;
	}
}

int main(void)
{
	double sum = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	sweep();
	reduce(&sum);
	printf("%g\n", sum);
	return 0;
}
