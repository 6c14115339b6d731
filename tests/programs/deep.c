/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* deep N: N levels; every third region is serialized. In the others thread 1 parks and thread 0 continues. */
#include <omp.h>
#include <stdlib.h>

#include "oracle.h"

static int levels;

static void go(int depth)
{
	if (depth == levels)
		oracle_park();
#pragma omp parallel num_threads(depth % 3 == 2 ? 1 : 2)
	{
		if (omp_get_thread_num() == 1)
			oracle_park();
		go(depth + 1);
	}
}

int main(int argc, char **argv)
{
	levels = argc > 1 ? atoi(argv[1]) : 20;
	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(levels);
	park_begin(1 + levels - levels / 3);
	go(0);
}
