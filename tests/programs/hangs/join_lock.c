/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread holds a lock and waits for the end of a thread that wants the lock. */
#include "hang.h"
#include <pthread.h>

static omp_nest_lock_t red;

static void *take(void *arg)
{
	omp_set_nest_lock(&red); /* HERE */
	return arg;
}

__attribute__((noinline)) static void wait_for_end(void)
{
	pthread_t thread;

	omp_set_nest_lock(&red);
	pthread_create(&thread, NULL, take, NULL);
	pthread_join(thread, NULL); /* HERE */
	omp_unset_nest_lock(&red);
}

int main(void)
{
	omp_init_nest_lock(&red);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			wait_for_end();
	}
	return 0;
}
