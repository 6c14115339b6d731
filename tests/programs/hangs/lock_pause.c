/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 2 holds the lock that all others wait for, and sleeps in a system call. */
#include "hang.h"

static omp_lock_t busy;
static int held;

__attribute__((noinline)) static void hold(void)
{
	omp_set_lock(&busy);
	hang_come(&held);
	for (;;)
		pause(); /* HERE */
}

int main(void)
{
	omp_init_lock(&busy);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2)
			hold();
		hang_await(&held, 1);
		omp_set_lock(&busy);
		omp_unset_lock(&busy);
	}
	return 0;
}
