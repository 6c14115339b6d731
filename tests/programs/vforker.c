/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vforker: a thread waits in vfork() for its child, which never ends. Such a thread cannot be stopped. The main thread
 * parks; the runtime has started.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "park.h"

static int entered;

static void *wait_for_child(void *arg)
{
	park_say("{\"tid\":%d,\"by\":\"vfork\"}", park_tid());
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
		for (;;)
			pause();
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	park_begin(2);
#pragma omp parallel num_threads(2)
	__atomic_load_n(&entered, __ATOMIC_ACQUIRE);
	if (pthread_create(&thread, NULL, wait_for_child, NULL))
		return 2;
	park_await(&entered, 1);
	park_say("{\"tid\":%d,\"by\":\"pause\"}", park_tid());
	park();
}
