/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread of the program's own holds a lock. Thread 2 waits for it, and all others wait for thread 2 at the end
 * of the region. Thread 1 arrives there when the primary thread sleeps already: its arrival wakes no thread.
 */
#include "hang.h"
#include <pthread.h>

#include "hang_asleep.h"

static omp_lock_t lock;
static int has_it, primary;
volatile int work;

__attribute__((noinline)) static void stay(void)
{
	hang_come(&has_it);
	for (;;)
		pause(); /* HERE */
}

static void *outsider(void *arg)
{
	omp_set_lock(&lock);
	stay(); /* HERE */
	omp_unset_lock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	omp_init_lock(&lock);
	if (pthread_create(&thread, NULL, outsider, NULL))
		return 1;
	hang_await(&has_it, 1);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			hang_tell(&primary);
		if (omp_get_thread_num() == 1)
			hang_await_asleep(&primary);
		if (omp_get_thread_num() == 2) {
			omp_set_lock(&lock);
			work++;
			omp_unset_lock(&lock);
		}
	}
	return 0;
}
