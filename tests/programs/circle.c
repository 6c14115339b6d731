/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * circle: a team of 2, where glibc's list of threads is a loop: the
 * entry of the thread that is not the first one points to itself.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "oracle.h"

/* Read glibc's descriptor of a member for libthread_db: bits, count, offset. */
static uintptr_t *list_of(pthread_t thread)
{
	const uint32_t *field = dlsym(RTLD_DEFAULT, "_thread_db_pthread_list");

	if (!field)
		abort();
	return (uintptr_t *)((uintptr_t)thread + field[2]);
}

int main(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			uintptr_t *next = list_of(pthread_self());

			*next = (uintptr_t)next;
		}
#pragma omp barrier
		oracle_park();
	}
}
