/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * unjoined: two pthreads have exited and are not joined, one of them on a stack of the program's
 * own. glibc still lists them, without a kernel thread. The main thread has a team of 2 then.
 */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "oracle.h"

#define STACK_SIZE (256 << 10)

static void *end(void *tid)
{
	*(int *)tid = park_tid();
	return NULL;
}

static void await_end(const int *tid)
{
	park_await(tid, 1);
	while (tgkill(getpid(), *tid, 0) == 0 || errno != ESRCH)
		usleep(100);
}

int main(void)
{
	static int tids[2];
	pthread_attr_t own_stack;
	pthread_t thread;

	park_begin(2);
	pthread_attr_init(&own_stack);
	pthread_attr_setstack(&own_stack, aligned_alloc(4096, STACK_SIZE), STACK_SIZE);
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&thread, i ? &own_stack : NULL, end, &tids[i]))
			abort();
		await_end(&tids[i]);
	}
#pragma omp parallel num_threads(2)
	oracle_park();
}
