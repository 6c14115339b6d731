/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * nested A B [C]: a team of A threads. Each opens a team of B threads (plus its own thread number: teams
 * of uneven sizes). Each thread of these opens a team of C threads. All park in the innermost region.
 */
#include <omp.h>
#include <stdlib.h>

#include "oracle.h"

static int sizes[8];
static int n_sizes;

/* Return the number of threads of a nest from @depth on when thread @num opens it. */
static int count(int depth, int num)
{
	int total = 0;

	if (depth == n_sizes)
		return 1;
	for (int i = 0; i < sizes[depth] + (depth ? num : 0); i++)
		total += count(depth + 1, i);
	return total;
}

static void open_level(int depth)
{
	if (depth == n_sizes)
		oracle_park();
	int size = sizes[depth] + (depth ? omp_get_thread_num() : 0);
#pragma omp parallel num_threads(size)
	open_level(depth + 1);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc && n_sizes < 8; i++)
		sizes[n_sizes++] = atoi(argv[i]);
	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(8);
	park_begin(count(0, 0));
	open_level(0);
}
