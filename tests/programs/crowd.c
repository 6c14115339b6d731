/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * crowd N [SAMPLES]: N threads sleep for ever, besides the main thread and a thread of the runtime. SAMPLES
 * of them (default 33), evenly spread, and the main thread read the clock every 2 ms. On SIGUSR1 the program
 * prints the longest time between two readings since the last SIGUSR1: of the main thread, and of the others.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "park.h"

#define STACK_SIZE (32u << 10)
#define PAUSE_NS   2000000

struct reader {
	long last_us;
	long longest_us;
} __attribute__((aligned(64)));

static volatile sig_atomic_t asked;
static struct reader *readers;
static int n_readers, n_threads;

static void on_signal(int sig)
{
	(void)sig;
	asked = 1;
}

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* With a real-time priority, where allowed, a gap is a stop and not a wait for a processor. */
static void hurry(void)
{
	struct sched_param first = {.sched_priority = 10};

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
}

static void read_clock(struct reader *r)
{
	long now = now_us();
	long gap = r->last_us ? now - r->last_us : 0;

	if (gap > __atomic_load_n(&r->longest_us, __ATOMIC_RELAXED))
		__atomic_store_n(&r->longest_us, gap, __ATOMIC_RELAXED);
	r->last_us = now;
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static void *run(void *arg)
{
	long number = (long)arg;
	long step = n_readers > 1 ? (n_threads - 1) / (n_readers - 1) : n_threads;

	if (step < 1 || number % step || number / step >= n_readers)
		park();
	hurry();
	for (;;)
		read_clock(&readers[1 + number / step]);
}

static void say(void)
{
	long main_us = __atomic_exchange_n(&readers[0].longest_us, 0, __ATOMIC_RELAXED), worst_us = 0;

	for (int i = 1; i <= n_readers; i++) {
		long us = __atomic_exchange_n(&readers[i].longest_us, 0, __ATOMIC_RELAXED);

		worst_us = us > worst_us ? us : worst_us;
	}
	park_say("{\"main_us\":%ld,\"worst_us\":%ld,\"threads\":%d}", main_us, worst_us, n_threads + 1);
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;

	n_threads = argc > 1 ? atoi(argv[1]) : 100;
	n_readers = argc > 2 ? atoi(argv[2]) : 33;
	if (n_threads < 1 || n_readers < 1)
		return 2;
	readers = calloc((size_t)n_readers + 1, sizeof(*readers));
	/* One mapping for all stacks: the kernel limits the number of mappings. */
	char *stacks = mmap(NULL, (size_t)n_threads * STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!readers || stacks == MAP_FAILED)
		return 2;
	signal(SIGUSR1, on_signal);
	park_begin(1);
	/* Start the runtime: requests fail before that. */
#pragma omp parallel num_threads(2)
	__atomic_load_n(&asked, __ATOMIC_RELAXED);
	pthread_attr_init(&attr);
	for (long i = 0; i < n_threads; i++) {
		pthread_attr_setstack(&attr, stacks + (size_t)i * STACK_SIZE, STACK_SIZE);
		if (pthread_create(&thread, &attr, run, (void *)i)) {
			n_threads = (int)i;
			break;
		}
	}
	hurry();
	park_say("{\"tid\":%d,\"by\":\"run\"}", park_tid());
	for (;;) {
		read_clock(&readers[0]);
		if (asked) {
			asked = 0;
			say();
		}
	}
}
