/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fixture of tests of a team's barrier: a team whose members are threads, and stubs of what the barrier calls. */
#ifndef OMPDD_SUPPORT_BARRIER_TEAM_H
#define OMPDD_SUPPORT_BARRIER_TEAM_H

#include "core/team/barrier.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "core/state/barrier_word.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/seat.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/sync/wait.h"
#include "core/sync/wake.h"
#include "core/task/task_run.h"
#include "core/team/registration.h"
#include "core/team/tool_region.h"
#include "os/futex.h"
#include "os/memory.h"
#include "syscall_of.h"

enum { MAX_THREADS = 200, PATIENCE = 300 /* s */ };

__thread struct thread thread_tls = {.n_threads = 1, .spins = 10};
struct icv_process icv_process = {.num_procs = 2};
struct root runtime_root;

/* Stubs of the functions that the barrier calls. Tasks are two numbers: the ready ones and the unfinished ones. */
static struct {
	uint32_t ready, left, run;
} tasks;				      /* atomic */
static void (*before_task)(struct thread *t); /* NULL: none */

bool task_run_one(struct thread *t)
{
	uint32_t ready = __atomic_load_n(&tasks.ready, __ATOMIC_ACQUIRE);

	if (before_task)
		before_task(t);
	do {
		if (!ready)
			return false;
	} while (!__atomic_compare_exchange_n(&tasks.ready, &ready, ready - 1, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	__atomic_fetch_add(&tasks.run, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&tasks.left, 1, __ATOMIC_RELEASE);
	return true;
}

bool task_team_is_done(struct team *team)
{
	(void)team;
	return !__atomic_load_n(&tasks.left, __ATOMIC_ACQUIRE);
}

/* A stub for regions that a tool sees. */
void tool_region_wait(struct thread *t)
{
	(void)t;
	abort();
}

void thread_register(struct thread *t)
{
	(void)t;
	abort();
}

/* Sets up a team; each of its members is a thread that executes one function. */
static struct team *team;
static struct task task;
static pthread_t threads[MAX_THREADS];
static void (*member_function)(struct thread *t);
static uint32_t errors; /* atomic; only the first thread can use Check's assertions */

static inline void require(bool condition)
{
	if (!condition)
		__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
}

static inline void become_member(uint32_t i)
{
	struct thread *t = thread_peek();

	t->team = team;
	t->member = &team->members[i];
	t->task = &task;
	t->thread_num = i;
	t->n_threads = team->n_threads;
	t->epoch = team->epoch;
	t->state = ompt_state_work_parallel;
	t->barrier_count = barrier_arrived(BARRIER_FIRST);
	__atomic_store_n(&t->member->thread, t, __ATOMIC_RELEASE);
}

static inline void *member(void *arg)
{
	become_member((uint32_t)(uintptr_t)arg);
	member_function(thread_peek());
	return NULL;
}

static inline void team_of_begin(uint32_t n_threads)
{
	team = memory_zalloc_line(sizeof(*team) + n_threads * sizeof(struct member));
	team->members = team_members(team);
	team->n_threads = n_threads;
	team->epoch = 7;
	team->barrier.word = BARRIER_FIRST;
	runtime_root.n_threads = n_threads;
	wait_init();
}

/* All members execute @function; the last of them must end in time. */
static inline void team_of_run(uint32_t n_threads, void (*function)(struct thread *t))
{
	struct timespec end;

	team_of_begin(n_threads);
	member_function = function;
	for (uint32_t i = 0; i < n_threads; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, member, (void *)(uintptr_t)i), 0);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	for (uint32_t i = 0; i < n_threads; i++)
		ck_assert_msg(pthread_timedjoin_np(threads[i], NULL, &end) == 0,
			      "thread %u does not come back; word %#lx", i, team->barrier.word);
	ck_assert_uint_eq(errors, 0);
	free(team);
}

#endif
