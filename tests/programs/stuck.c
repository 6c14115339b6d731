/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* stuck WHAT: threads that wait for each other for ever, in one of the ways
 * below. Exits when it is killed, or when its standard input is closed. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t a, b;
static int count;

static void *end_with_input(void *arg)
{
	char c;

	while (read(0, &c, 1) > 0)
		;
	_exit(0);
	return arg;
}

static void say_tid(const char *who)
{
	printf("%s %d\n", who, (int)gettid());
	fflush(stdout);
}

static void wait_for_others(int n)
{
	__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&count, __ATOMIC_SEQ_CST) < n)
		usleep(100);
}

/* Each holds the lock that the other one waits for. */
static void cross(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		say_tid("a");
		omp_set_lock(&a);
		wait_for_others(2);
		omp_set_lock(&b);
		omp_unset_lock(&b);
		omp_unset_lock(&a);
	} else {
		say_tid("b");
		omp_set_lock(&b);
		wait_for_others(2);
		omp_set_lock(&a);
		omp_unset_lock(&a);
		omp_unset_lock(&b);
	}
}

static void cross_critical(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		say_tid("a");
#pragma omp critical(one)
		{
			wait_for_others(2);
#pragma omp critical(two)
			count++;
		}
	} else {
		say_tid("b");
#pragma omp critical(two)
		{
			wait_for_others(2);
#pragma omp critical(one)
			count++;
		}
	}
}

/* The thread waits for a lock that it holds. */
static void self(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		say_tid("a");
		omp_set_lock(&a);
		omp_set_lock(&a);
		count++;
	}
}

/* The holder has exited. */
static void *take_and_end(void *arg)
{
#pragma omp parallel num_threads(1)
	omp_set_lock(&a);
	return arg;
}

static void ended(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_and_end, NULL);
	pthread_join(thread, NULL);
#pragma omp parallel num_threads(2)
	omp_set_lock(&a);
}

/* The holder is idle. */
static void idle(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		say_tid("holder");
		omp_set_lock(&a);
	}
	omp_set_lock(&a);
}

/* The holder sleeps in a system call. */
static void sleeps(void)
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1) {
#pragma omp critical
		{
			say_tid("holder");
			wait_for_others(1);
			pause();
		}
	} else {
		while (!__atomic_load_n(&count, __ATOMIC_SEQ_CST))
			usleep(100);
#pragma omp critical
		count++;
	}
}

/* The holder waits at a barrier that the waiters do not reach. */
static void barrier(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			say_tid("holder");
			omp_set_lock(&a);
			wait_for_others(1);
		} else {
			while (!__atomic_load_n(&count, __ATOMIC_SEQ_CST))
				usleep(100);
			omp_set_lock(&a);
		}
#pragma omp barrier
		omp_unset_lock(&a);
	}
}

/* A child task that sleeps. */
static void child(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp task
		{
			say_tid("holder");
			__atomic_store_n(&count, 1, __ATOMIC_SEQ_CST);
			pause();
		}
		while (!__atomic_load_n(&count, __ATOMIC_SEQ_CST))
			usleep(100);
#pragma omp taskwait
	}
}

/* The iteration whose turn it is sleeps. */
static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		if (i == 0) {
			say_tid("holder");
			pause();
		}
	}
}

static void copyprivate(void)
{
#pragma omp parallel num_threads(2)
	{
		int value = 0;

#pragma omp single copyprivate(value)
		{
			say_tid("holder");
			pause();
			value = 1;
		}
		count += value;
	}
}

/* An event that is never fulfilled, and a task that waits for its task. */
static void detached(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		omp_event_handle_t event __attribute__((unused)); /* a compiler may not count its use in the clause */

		say_tid("waiter");
#pragma omp task detach(event) depend(out : count)
		__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
#pragma omp task depend(in : count)
		count++;
#pragma omp taskwait
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} ways[] = {
		{"cross", cross}, {"cross_critical", cross_critical}, {"self", self},	    {"ended", ended},
		{"ordered", ordered}, {"copyprivate", copyprivate}, {"detached", detached},
		{"idle", idle},	  {"sleeps", sleeps},		      {"barrier", barrier}, {"child", child},
	};
	pthread_t reader;

	omp_init_lock(&a);
	omp_init_lock(&b);
	pthread_create(&reader, NULL, end_with_input, NULL);
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(argv[1], ways[i].name))
			ways[i].function();
	}
	return 1;
}
