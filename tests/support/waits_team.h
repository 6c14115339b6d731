/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fixture of tests of openmp/model/wait/waits*: a team at work, where a test makes threads wait for holders. */
#ifndef OMPDD_SUPPORT_WAITS_TEAM_H
#define OMPDD_SUPPORT_WAITS_TEAM_H

#include <string.h>

#include <omp-tools.h>

#include "check_main.h"
#include "openmp/model/wait/waits.h"

#define N_THREADS 6

static struct snapshot s;
static struct snapshot_thread threads[N_THREADS];
static struct snapshot_parallel region;
static struct snapshot_task tasks[N_THREADS + 2];
static uint32_t members[N_THREADS] = {0, 1, 2, 3, 4, 5};
static struct holder_wait all_waits[N_THREADS];
static struct holder all_holders[64];
static struct holders holders;
static struct waits_thread known[N_THREADS];
static struct waits_input in;
static struct waits w;
static uint32_t n_holders;

/* Sets up a team of all threads, all at work. */
static inline void setup(void)
{
	memset(threads, 0, sizeof(threads));
	memset(tasks, 0, sizeof(tasks));
	memset(known, 0, sizeof(known));
	memset(all_waits, 0, sizeof(all_waits));
	n_holders = 0;
	region = (struct snapshot_parallel){.members = members, .n_members = N_THREADS};
	region.team_size.value = N_THREADS;
	s = (struct snapshot){.threads = threads, .n_threads = N_THREADS, .parallels = &region, .n_parallels = 1};
	s.tasks = tasks;
	s.n_tasks = N_THREADS + 2;
	holders = (struct holders){.waits = all_waits};
	in = (struct waits_input){.s = &s, .holders = &holders, .threads = known};
	for (uint32_t i = 0; i < N_THREADS; i++) {
		threads[i].openmp = true;
		threads[i].tid = (pid_t)(100 + i);
		threads[i].state.value = ompt_state_work_parallel;
		known[i].motion = MOTION_RAN;
		known[i].progress = PROGRESS_OPENMP;
	}
}

static inline void teardown(void)
{
	waits_deinit(&w);
}

static inline void find(void)
{
	waits_deinit(&w);
	ck_assert_no_err(waits_find(&in, &w));
}

/* In the order of the threads; the thread sleeps all the time. */
static inline struct holder_wait *waits(uint32_t thread, enum holder_kind kind, uint64_t id)
{
	struct holder_wait *wait = &all_waits[holders.n++];

	*wait = (struct holder_wait){.thread = thread, .task = thread, .kind = kind, .wait_id = id};
	wait->holders = &all_holders[n_holders];
	wait->is_complete = true;
	known[thread].motion = MOTION_ASLEEP;
	known[thread].is_asleep = true;
	return wait;
}

static inline void held_by(struct holder_wait *wait, uint32_t thread, enum holder_doing doing)
{
	all_holders[n_holders++] =
		(struct holder){.thread = thread, .task = SNAPSHOT_NONE, .source = HOLDER_FROM_CODE, .doing = doing};
	wait->n_holders++;
}

static inline void sleeps(uint32_t thread)
{
	known[thread].motion = MOTION_ASLEEP;
	known[thread].sleeps = true;
}

static inline void assert_threads(const struct waits_finding *f, uint32_t n, const uint32_t *expected)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < f->n_nodes; i++) {
		if (w.nodes[f->nodes[i]].kind != WAITS_THREAD)
			continue;
		ck_assert_uint_lt(found, n);
		ck_assert_uint_eq(w.nodes[f->nodes[i]].index, expected[found++]);
	}
	ck_assert_uint_eq(found, n);
}

#endif
