/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * stacks MODE: known chains of calls. No function here ends with a call, so that every function stays on the stack.
 * Modes: regions (two levels), wait CONSTRUCT (threads 1 and 2 wait for thread 0), tasks (one generates another),
 * spin (thread 1 runs), deep (a recursion of 2000 frames), end (at the end of the region).
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "oracle.h"

#define NOINLINE __attribute__((noinline))

static volatile int behind;
static int started;
static omp_lock_t lock;

NOINLINE static void leaf(void)
{
	oracle_park();
}

NOINLINE static void inner_region(void)
{
#pragma omp parallel num_threads(2)
	{
		leaf();
		behind = 1;
	}
	behind = 2;
}

NOINLINE static void middle(void)
{
	inner_region();
	behind = 3;
}

NOINLINE static void regions(void)
{
	park_begin(4);
#pragma omp parallel num_threads(2)
	{
		middle();
		behind = 4;
	}
	behind = 5;
}

/* Threads 1 and 2 reach the construct when thread 0 holds it. */

NOINLINE static void at_critical(void)
{
#pragma omp critical(named)
	{
		if (omp_get_thread_num() == 0) {
			__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
			leaf();
		}
		behind = 1;
	}
	behind = 2;
}

NOINLINE static void at_lock(void)
{
	omp_set_lock(&lock);
	if (omp_get_thread_num() == 0) {
		__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
		leaf();
	}
	omp_unset_lock(&lock);
	behind = 3;
}

NOINLINE static void at_barrier(void)
{
	if (omp_get_thread_num() == 0)
		leaf();
#pragma omp barrier
	behind = 4;
}

NOINLINE static void at_single(void)
{
#pragma omp single
	{
		__atomic_store_n(&started, 1, __ATOMIC_RELEASE);
		leaf();
	}
	behind = 5;
}

static void wait_for(const char *what)
{
	park_begin(3);
	omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		int waits = omp_get_thread_num() > 0;

		if (waits && strcmp(what, "barrier") != 0)
			park_await(&started, 1);
		if (waits)
			oracle_say(BY_FUTEX, "%s", "");
		if (strcmp(what, "critical") == 0)
			at_critical();
		else if (strcmp(what, "lock") == 0)
			at_lock();
		else if (strcmp(what, "single") == 0)
			at_single();
		else
			at_barrier();
		behind = 6;
	}
}

NOINLINE static void second_task(void)
{
#pragma omp task
	{
		leaf();
		behind = 7;
	}
	behind = 8;
}

NOINLINE static void first_task(void)
{
	second_task();
	/* Thread 1 takes the second task before this thread waits for it. */
	park_await(&started, 2);
	leaf();
	behind = 9;
}

/* Thread 0 generates a task and runs it at its taskwait. That task generates another, which thread 1 runs. */
static void tasks(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
			{
				__atomic_add_fetch(&started, 2, __ATOMIC_RELEASE);
				first_task();
				behind = 10;
			}
#pragma omp taskwait
			behind = 11;
		}
#pragma omp barrier
		behind = 12;
	}
}

static void spin(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			oracle_say(BY_RUN, "%s", "");
			for (;;)
				behind++;
		}
		leaf();
		behind = 13;
	}
}

NOINLINE static void recurse(int n)
{
	volatile char pad[1024];

	pad[0] = (char)n;
	if (behind < 0)
		return;
	if (n > 0)
		recurse(n - 1);
	else
		leaf();
	behind = pad[0];
}

static void deep(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		recurse(2000);
		behind = 14;
	}
}

static void at_end(void)
{
	park_begin(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			leaf();
			behind = 15;
		}
		if (omp_get_thread_num() == 0)
			oracle_say(BY_FUTEX, "%s", "");
	}
	behind = 16;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "regions";

	omp_set_nested(1); /* libgomp before gcc 11 needs this, too */
	omp_set_max_active_levels(4);
	if (strcmp(mode, "regions") == 0)
		regions();
	else if (strcmp(mode, "wait") == 0)
		wait_for(argc > 2 ? argv[2] : "barrier");
	else if (strcmp(mode, "tasks") == 0)
		tasks();
	else if (strcmp(mode, "spin") == 0)
		spin();
	else if (strcmp(mode, "deep") == 0)
		deep();
	else
		at_end();
	return behind;
}
