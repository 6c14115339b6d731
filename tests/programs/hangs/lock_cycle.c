/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads 1 and 2 each hold the lock that the other waits for. Two more wait for them at the region's end. */
#include "hang.h"

static omp_lock_t red, blue;
static int met;

__attribute__((noinline)) static void red_then_blue(void)
{
	omp_set_lock(&red);
	hang_meet(&met, 2);
	omp_set_lock(&blue); /* HERE */
	omp_unset_lock(&blue);
	omp_unset_lock(&red);
}

__attribute__((noinline)) static void blue_then_red(void)
{
	omp_set_lock(&blue);
	hang_meet(&met, 2);
	omp_set_lock(&red); /* HERE */
	omp_unset_lock(&red);
	omp_unset_lock(&blue);
}

int main(void)
{
	omp_init_lock(&red);
	omp_init_lock(&blue);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1)
			red_then_blue();
		if (omp_get_thread_num() == 2)
			blue_then_red();
	}
	return 0;
}
