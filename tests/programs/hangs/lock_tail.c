/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thread 0 has released the lock in a function that ends with that call, which is a jump in optimized
 * code. Thread 1 has taken it through a pointer, which the code does not reveal. Thread 2 waits for it.
 */
#include "hang.h"

static omp_lock_t shared;
static void (*volatile set)(omp_lock_t *) = omp_set_lock;
static volatile int after;

__attribute__((noinline, optimize("O2"))) static void give_back(void)
{
	omp_unset_lock(&shared);
}

__attribute__((noinline)) static void innocent(int *stage)
{
	omp_set_lock(&shared);
	give_back();
	hang_come(stage);
	pause();
	after++;
}

__attribute__((noinline)) static void keep(int *stage)
{
	hang_await(stage, 1);
	set(&shared);
	hang_come(stage);
	pause(); /* HERE */
	after++;
}

__attribute__((noinline)) static void want(int *stage)
{
	hang_await(stage, 2);
	omp_set_lock(&shared);
	after++;
}

int main(void)
{
	int stage = 0;

	omp_init_lock(&shared);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			innocent(&stage);
		else if (omp_get_thread_num() == 1)
			keep(&stage);
		else
			want(&stage);
	}
	return 0;
}
