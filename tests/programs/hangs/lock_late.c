/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads sleep for a lock of thread 1. One gets it and keeps it. The other sleeps on, for another holder now. */
#include "hang.h"

#include "hang_asleep.h"

static omp_lock_t busy;
static int waiting[2], held;

__attribute__((noinline)) static void stay(void)
{
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
	omp_init_lock(&busy);
#pragma omp parallel num_threads(3)
	{
		int n = omp_get_thread_num();

		if (n == 1) {
			omp_set_lock(&busy);
			hang_come(&held);
			hang_await_asleep(&waiting[0]);
			hang_await_asleep(&waiting[1]);
			omp_unset_lock(&busy);
		} else {
			hang_await(&held, 1);
			hang_tell(&waiting[n / 2]);
			omp_set_lock(&busy);
			stay();
			omp_unset_lock(&busy);
		}
	}
	return 0;
}
