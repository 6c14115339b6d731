/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* never: links libgomp, and parks. It never enters a region and never calls a routine that needs thread data. */
#include <omp.h>

#include "park.h"

int main(void)
{
	park_begin(1);
	park_say("{\"tid\":%d,\"by\":\"pause\",\"wtick\":%d}", park_tid(), omp_get_wtick() > 0);
	park();
}
