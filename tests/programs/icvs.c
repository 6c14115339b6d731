/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* icvs: each thread and task changes control variables for itself, so that no two have equal values. */
#include <omp.h>

#include "oracle.h"

static void change_and_park(void)
{
	switch (omp_get_thread_num()) {
	case 0:
		oracle_park(); /* all inherited */
	case 1:
		omp_set_num_threads(11);
		omp_set_dynamic(1);
		omp_set_schedule(omp_sched_static, 0);
		oracle_park();
	case 2:
		omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, 17);
		oracle_park();
	case 3:
#pragma omp task if (0)
		{
			omp_set_num_threads(13); /* only for this task; the implicit task keeps 7 */
			omp_set_schedule(omp_sched_auto, 0);
			oracle_park();
		}
		break;
	default:
		omp_set_num_threads(2);
		omp_set_default_device(5);
#pragma omp parallel num_threads(1)
		{
			omp_set_num_threads(4);
			omp_set_dynamic(1);
			oracle_park();
		}
	}
}

int main(void)
{
	park_begin(5);
	omp_set_num_threads(7);
	omp_set_schedule(omp_sched_guided, 3);
	omp_set_max_active_levels(3);
	omp_set_default_device(0);
#pragma omp parallel num_threads(5)
	{
		/* Before gcc 11 all threads share one value: set it before any query. */
		if (omp_get_thread_num() == 2)
			omp_set_max_active_levels(1);
#pragma omp barrier
		change_and_park();
	}
}
