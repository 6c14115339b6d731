/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * shares MODE FILE N: a periodic program that records what a profile must find. FILE (mapped, SHARES_STATES words for each thread)
 * has the nanoseconds that each of N threads spent in each state.
 * Modes: critical (threads wait for each other), imbalance (thread 0 works twice as long as the others, which wait at the region's
 * end), idle (a fifth of the time is outside of regions), taskwait (a thread waits for a task that another one executes).
 */
#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "park.h"

enum { WORK, SERIAL, CRITICAL, BARRIER, TASKWAIT, IDLE, OVERHEAD, SHARES_STATES };

#define MS UINT64_C(1000000)

static volatile uint64_t (*spent)[SHARES_STATES];
/* The start of the thread's present state; the end of the last region, and the start of the present one. */
static _Thread_local uint64_t since;
static uint64_t last_end, met;
static _Thread_local unsigned seed;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

/* Record that thread @me has been in @state until now. */
static void was(int me, int state)
{
	uint64_t t = now();

	spent[me][state] += t - since;
	since = t;
}

/* Work for @ns, a quarter more or less: no clock may run in step with it. */
__attribute__((noinline)) static void spin(uint64_t ns)
{
	seed = seed * 1103515245 + 12345;
	uint64_t end = now() + ns * 3 / 4 + ns / 2 * (seed >> 16 & 1023) / 1024;

	while (now() < end)
		;
}

/* Each of the two threads waits while the other is in there, except for its own work outside: 30 % of its time. */
static void in_critical(int me)
{
	spin(8 * MS / 10);
	was(me, WORK);
#pragma omp critical(shared)
	{
		was(me, CRITICAL);
		spin(2 * MS);
	}
}

static void taskwait(int me)
{
	volatile int begun = 0;

#pragma omp task shared(begun)
	{
		int runs = omp_get_thread_num();

		/* It interrupts the wait of its thread. */
		was(runs, runs == me ? TASKWAIT : BARRIER);
		begun = 1;
		spin(4 * MS);
		was(runs, WORK);
	}
	/* Another thread shall take it. */
	for (uint64_t end = now() + 20 * MS; !begun && now() < end;)
		;
	spin(MS);
	was(me, WORK);
#pragma omp taskwait
	was(me, TASKWAIT);
}

static void region(const char *mode, int n)
{
	uint64_t *ends = calloc((size_t)n, sizeof(*ends));

	was(0, SERIAL);
	met = since;
#pragma omp parallel num_threads(n)
	{
		int me = omp_get_thread_num();

		seed += (unsigned)me + 1;
		if (me) {
			spent[me][IDLE] += met - last_end;
			since = met;
		}
		/* The region is being started until it has its thread. */
		was(me, OVERHEAD);
		if (!strcmp(mode, "critical")) {
			for (int i = 0; i < 20; i++)
				in_critical(me);
		} else if (!strcmp(mode, "imbalance")) {
			spin(me ? 5 * MS : 10 * MS);
		} else if (!strcmp(mode, "idle")) {
			spin(8 * MS);
		} else {
#pragma omp single
			for (int i = 0; i < 10; i++)
				taskwait(me);
			was(me, BARRIER);
		}
		if (strcmp(mode, "taskwait"))
			was(me, WORK);
		ends[me] = since;
	}
	/* The region ends for all threads when it ends for the first. */
	uint64_t end = now();
	for (int i = 0; i < n; i++)
		spent[i][BARRIER] += end - ends[i];
	since = last_end = end;
	free(ends);
	if (!strcmp(mode, "idle")) {
		spin(2 * MS);
		was(0, SERIAL);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 2, fd = argc > 3 ? open(argv[2], O_RDWR) : -1;

	spent = fd < 0 ? MAP_FAILED
		       : mmap(NULL, (size_t)n * sizeof(*spent), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (spent == MAP_FAILED) {
		perror("shares MODE FILE N");
		return EXIT_FAILURE;
	}
	park_begin(0);
	since = last_end = now();
	for (;;)
		region(argv[1], n);
}
