/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread of the program's own set a lock and exited. */
#include "hang.h"
#include <pthread.h>

static omp_nest_lock_t left;

static void *visitor(void *arg)
{
	omp_set_nest_lock(&left);
	return arg;
}

int main(void)
{
	pthread_t thread;

	omp_init_nest_lock(&left);
	pthread_create(&thread, NULL, visitor, NULL);
	pthread_join(thread, NULL);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			omp_set_nest_lock(&left); /* HERE */
			omp_unset_nest_lock(&left);
		}
	}
	return 0;
}
