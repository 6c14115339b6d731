/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * circle: a team of 2, and glibc's list of threads leads into itself: the entry of the thread that is not the first one
 * is its own next one.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "oracle.h"

/* What glibc tells libthread_db of where a member is: bits, how many, offset. */
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
