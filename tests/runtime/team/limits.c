/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMP_THREAD_LIMIT=5: never more threads at once, and all of them free again behind each region. */
#include <omp.h>
#include <stdlib.h>

static int now, most;

static void enter(int change)
{
	int n;

#pragma omp atomic capture
	n = now += change;
#pragma omp critical
	if (n > most)
		most = n;
}

int main(void)
{
	if (omp_get_thread_limit() != 5)
		return 77;
	omp_set_dynamic(0);
	omp_set_max_active_levels(4);
	for (int i = 0; i < 500; i++) {
		int n = 0;

#pragma omp parallel num_threads(9)
		{
			if (omp_get_thread_num() == 0)
				n = omp_get_num_threads();
		}
		if (n != 5)
			abort();
#pragma omp parallel num_threads(3)
		{
#pragma omp parallel num_threads(3)
			{
				enter(1);
#pragma omp barrier
				enter(-1);
			}
		}
	}
	return most > 5 || most < 3;
}
