/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * lingers WHERE: a thread has left an inner team ("lingers":true) and stays in its own destructor; the team's memory is
 * unchanged. over: the outer region has ended, too. outer, alone: its threads stay in it; alone, it has one thread.
 */
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "oracle.h"

/* Leave every freed block unchanged. The C library does so only with the last block of the heap. */
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
