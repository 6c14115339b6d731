/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waits MODE [N]: a team of N threads (3). Thread 0 parks, and the others wait for it. Each waiting thread's line has the correct
 * states in "states", and in "wait_address" the address that it waits for, where the program can know it.
 * Modes: critical, named, lock, nestlock, atomic, ordered, barrier, single, sections, loop, end, copyprivate, spin;
 * busy: as barrier, but thread 0 works, in busy().
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#if defined(__x86_64__)
#define RELAX "pause"
#else
#define RELAX "yield"
#endif

#define STATES(...)   "\"states\":[" __VA_ARGS__ "]"
#define BARRIER_STATE "\"ompt_state_wait_barrier\",\"ompt_state_wait_barrier_implicit\""
#define WORK	      STATES("\"ompt_state_work_parallel\"")

/* gcc keeps a named critical's lock in this common symbol. */
extern char residual_lock[1] __asm__(".gomp_critical_user_residual");
/* gcc emits these calls for atomics without an instruction. Called by hand here, to stay between the two. */
extern void GOMP_atomic_start(void);

static int n_threads = 3;
static int entered;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void hold(void)
{
	oracle_say(BY_PAUSE, "%s", WORK);
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	park();
}

/* Announce a thread that is about to wait, after thread 0 has reached its place. */
static void announce(const char *states, const void *address)
{
	park_await(&entered, 1);
	if (address)
		oracle_say(BY_FUTEX, "%s,\"wait_address\":\"%p\"", states, address);
	else
		oracle_say(BY_FUTEX, "%s", states);
}

static void mutexes(const char *mode, int me)
{
	if (strcmp(mode, "critical") == 0) {
		if (me)
			announce(STATES("\"ompt_state_wait_critical\""), NULL);
#pragma omp critical
		hold();
	} else if (strcmp(mode, "named") == 0) {
		if (me)
			announce(STATES("\"ompt_state_wait_critical\""), residual_lock);
#pragma omp critical(residual)
		hold();
	} else if (strcmp(mode, "lock") == 0) {
		if (me)
			announce(STATES("\"ompt_state_wait_lock\""), &lock);
		omp_set_lock(&lock);
		hold();
	} else if (strcmp(mode, "nestlock") == 0) {
		if (me)
			announce(STATES("\"ompt_state_wait_lock\""), &nest_lock);
		omp_set_nest_lock(&nest_lock);
		hold();
	} else {
		if (me)
			announce(STATES("\"ompt_state_wait_atomic\""), NULL);
		GOMP_atomic_start();
		hold();
	}
}

static void worksharing(const char *mode, int me)
{
	if (strcmp(mode, "single") == 0) {
		if (me)
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_implicit_workshare\""), NULL);
#pragma omp single
		hold(); /* thread 0 is first: the others follow after its announcement */
	} else if (strcmp(mode, "sections") == 0) {
		if (me)
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_implicit_workshare\""), NULL);
#pragma omp sections
		{
#pragma omp section
			hold();
		}
	} else if (strcmp(mode, "loop") == 0) {
		if (me)
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_implicit_workshare\""), NULL);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 1; i++)
			hold();
	} else if (strcmp(mode, "copyprivate") == 0) {
		static int x;
#pragma omp threadprivate(x)
		if (me)
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_implicit_workshare\""), NULL);
#pragma omp single copyprivate(x)
		{
			x = 1;
			hold();
		}
		if (x != 1)
			abort();
	} else {
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < n_threads; i++) {
			if (i)
				announce(STATES("\"ompt_state_wait_ordered\""), NULL);
#pragma omp ordered
			hold();
		}
	}
}

__attribute__((noinline)) void busy(void);
__attribute__((noinline, noreturn)) void busy(void)
{
	oracle_say(BY_RUN, "%s", WORK);
	__atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
	for (;;)
		__asm__ volatile(RELAX);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "barrier";

	n_threads = argc > 2 ? atoi(argv[2]) : n_threads;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	park_begin(n_threads);
#pragma omp parallel num_threads(n_threads)
	{
		int me = omp_get_thread_num();

		if (strcmp(mode, "barrier") == 0 || strcmp(mode, "busy") == 0) {
			if (me == 0)
				(strcmp(mode, "busy") == 0 ? busy : hold)();
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_explicit\""), NULL);
#pragma omp barrier
		} else if (strcmp(mode, "end") == 0) {
			if (me == 0)
				hold();
			announce(STATES(BARRIER_STATE ",\"ompt_state_wait_barrier_implicit_parallel\""), NULL);
		} else if (strcmp(mode, "spin") == 0) {
			oracle_say(BY_RUN, "%s", WORK); /* its own work, not the runtime's waiting */
			for (;;)
				__asm__ volatile(RELAX);
		} else if (strstr("critical named lock nestlock atomic", mode)) {
			mutexes(mode, me);
		} else {
			worksharing(mode, me);
		}
	}
}
