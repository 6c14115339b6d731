/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread of the program's own, which takes part in no region, holds a lock that thread 1
 * of the team waits for. With an argument, another function took the lock and has returned:
 * "set", "test", or "critical" (which the thread is in, and calls another function).
 */
#include "hang.h"
#include <pthread.h>
#include <string.h>

static omp_lock_t lock;
static int has_it;
static const char *how;
volatile int work;

__attribute__((noinline)) static void linger(void)
{
	hang_come(&has_it);
	for (;;)
		pause(); /* HERE */
}

__attribute__((noinline)) static void get(void)
{
	if (!strcmp(how, "test"))
		work += omp_test_lock(&lock);
	else
		omp_set_lock(&lock);
}

static void *outsider(void *arg)
{
	if (!how) {
		omp_set_lock(&lock);
		linger(); /* HERE */
		omp_unset_lock(&lock);
	} else if (!strcmp(how, "critical")) {
#pragma omp critical(sum)
		linger();
	} else {
		get();
		linger();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	how = argc > 1 ? argv[1] : NULL;
	omp_init_lock(&lock);
	if (pthread_create(&thread, NULL, outsider, NULL))
		return 1;
	hang_await(&has_it, 1);
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1) {
#pragma omp critical(sum)
		work++;
		omp_set_lock(&lock);
		work++;
		omp_unset_lock(&lock);
	}
	return 0;
}
