/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 0 waits at a barrier with a lock. The others wait for the lock before they reach the barrier. */
#include "hang.h"

static omp_lock_t gate;
static int held;

int main(void)
{
	omp_init_lock(&gate);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&gate);
			hang_come(&held);
		} else {
			hang_await(&held, 1);
			omp_set_lock(&gate);
			omp_unset_lock(&gate);
		}
#pragma omp barrier /* HERE */
		if (omp_get_thread_num() == 0)
			omp_unset_lock(&gate);
	}
	return 0;
}
