/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread 1 sets a simple lock that it already holds. */
#include "hang.h"

static omp_lock_t mine;

__attribute__((noinline)) static void inner(void)
{
	omp_set_lock(&mine); /* HERE */
	omp_unset_lock(&mine);
}

__attribute__((noinline)) static void outer(void)
{
	omp_set_lock(&mine);
	inner();
	omp_unset_lock(&mine);
}

int main(void)
{
	omp_init_lock(&mine);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			outer();
	}
	return 0;
}
