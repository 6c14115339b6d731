/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * serialized if0|one|limit|between: nests in which some regions have one thread: by if(0), by
 * num_threads(1), because max-active-levels is exceeded, or between two active ones.
 */
#include <omp.h>
#include <string.h>

#include "oracle.h"

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "if0";

	if (strcmp(mode, "if0") == 0) {
		park_begin(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3) if (0)
#pragma omp parallel num_threads(3) if (0)
		oracle_park();
	} else if (strcmp(mode, "one") == 0) {
		park_begin(3);
		omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
		omp_set_max_active_levels(4);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(1)
		oracle_park();
	} else if (strcmp(mode, "limit") == 0) {
		park_begin(2);
		omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(4)
		oracle_park();
	} else {
		park_begin(4);
		omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
		omp_set_max_active_levels(4);
#pragma omp parallel num_threads(2)
#pragma omp parallel if (0)
#pragma omp parallel num_threads(2)
		oracle_park();
	}
}
