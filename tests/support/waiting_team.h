/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fixture of tests of openmp/model/wait/holder*: a snapshot of one team, where a test makes threads wait. */
#ifndef OMPDD_SUPPORT_WAITING_TEAM_H
#define OMPDD_SUPPORT_WAITING_TEAM_H

#include <string.h>

#include "check_main.h"
#include "openmp/model/wait/holder.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"

#define N_THREADS 4

static struct snapshot s;
static struct snapshot_thread threads[N_THREADS];
static struct snapshot_parallel parallels[2];
static struct snapshot_task tasks[6];
static struct holders h;

/* Create a team of all threads, each in its implicit task, which has the thread's number. */
static inline void setup(void)
{
	static uint32_t members[N_THREADS] = {0, 1, 2, 3};

	memset(threads, 0, sizeof(threads));
	memset(parallels, 0, sizeof(parallels));
	memset(tasks, 0, sizeof(tasks));
	s = (struct snapshot){
		.threads = threads,
		.n_threads = N_THREADS,
		.parallels = parallels,
		.n_parallels = 2,
		.tasks = tasks,
		.n_tasks = N_THREADS,
	};
	parallels[0].team_size.value = N_THREADS;
	parallels[0].members = members;
	parallels[0].n_members = N_THREADS;
	for (uint32_t i = 0; i < N_THREADS; i++) {
		threads[i].openmp = true;
		threads[i].tid = (pid_t)(100 + i);
		threads[i].state.value = ompt_state_work_parallel;
		threads[i].wait_id.rc = ompd_rc_unavailable;
		threads[i].task.index = i;
		tasks[i].kind = TASK_IMPLICIT;
		tasks[i].thread = i;
		tasks[i].generating.index = SNAPSHOT_NONE;
	}
}

static inline void teardown(void)
{
	holders_deinit(&h);
}

static inline void waits(uint32_t thread, int state, uint64_t wait_id)
{
	threads[thread].state.value = state;
	threads[thread].wait_id = (struct snapshot_word){wait_id ? ompd_rc_ok : ompd_rc_unavailable, (int64_t)wait_id};
}

static inline void explicit_task(uint32_t task, uint32_t parent, uint32_t thread)
{
	tasks[task] = (struct snapshot_task){.kind = TASK_EXPLICIT, .thread = thread, .generating.index = parent};
	s.n_tasks = task + 1;
}

/* Return the wait of @thread, after checking everything that each answer must satisfy. */
static inline const struct holder_wait *find(uint32_t thread)
{
	holders_deinit(&h);
	ck_assert_no_err(holders_find(NULL, &s, &h));
	const struct holder_wait *wait = holders_of(&h, thread);

	ck_assert_ptr_nonnull(wait);
	ck_assert_uint_eq(wait->thread, thread);
	for (uint32_t i = 0; i < wait->n_holders; i++) {
		ck_assert_int_ne(wait->holders[i].source, HOLDER_INFERRED);
		ck_assert_ptr_nonnull(wait->holders[i].evidence);
	}
	for (uint32_t i = 0; i < wait->n_listed; i++)
		ck_assert_int_eq(wait->candidates[i].source, HOLDER_INFERRED);
	ck_assert(wait->is_complete || wait->unknown);
	return wait;
}

#endif
