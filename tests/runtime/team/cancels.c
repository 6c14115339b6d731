/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cancelled regions between others; OMP_CANCELLATION=true. */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	if (!omp_get_cancellation())
		return 77;
	for (int i = 0; i < 3000; i++) {
		int after = 0, size = 1 + i % 4;

#pragma omp parallel num_threads(size)
		{
			int me = omp_get_thread_num();

			for (int k = 0; k < 5; k++) {
				if (i % 3 == 0 && k == i % 5 && me == i % size) {
#pragma omp cancel parallel
				}
#pragma omp barrier
			}
#pragma omp atomic
			after++;
		}
		if (i % 3 ? after != size : after != 0)
			abort();
	}
	return 0;
}
