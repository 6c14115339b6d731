/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* procbind: proc_bind clauses in a nest; run with OMP_PLACES and OMP_PROC_BIND lists for more than "false". */
#include <omp.h>

#include "oracle.h"

int main(void)
{
	park_begin(4);
	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) proc_bind(spread)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2) proc_bind(close)
			oracle_park();
		} else {
#pragma omp parallel num_threads(2) proc_bind(master)
			oracle_park();
		}
	}
}
