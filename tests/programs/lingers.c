/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * lingers WHERE: a thread of an inner team has left that ("lingers":true) and stays in a destructor of its own, while its team's memory is
 * as it was. over: the outer region has ended, too. outer, alone: its threads stay in that; alone, it has one thread.
 */
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "oracle.h"

/* The C library leaves a block as it is when that is the last one of the heap; here, every one is. */
__attribute__((visibility("default"))) void free(void *block)
{
	(void)block;
}

static pthread_key_t key;

static void destroy(void *value)
{
	(void)value;
	park_say("{\"tid\":%d,\"by\":\"pause\",\"lingers\":true}", park_tid());
	park();
}

static void inner(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1)
		pthread_setspecific(key, &key);
}

int main(int argc, char **argv)
{
	const char *where = argc > 1 ? argv[1] : "outer";
	int n = strcmp(where, "alone") ? 2 : 1;

	park_begin(strcmp(where, "over") ? n + 1 : 2);
	pthread_key_create(&key, destroy);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(n)
	{
		if (!omp_get_thread_num())
			inner();
		if (strcmp(where, "over"))
			oracle_park();
	}
	oracle_park();
}
