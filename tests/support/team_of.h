/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A team without a pool, for tests of worksharing. Its threads are structs: the test plays each one itself, or gives it
 * to a thread. Also defines the functions that core/loop and other files call elsewhere.
 */
#ifndef OMPDD_SUPPORT_TEAM_OF_H
#define OMPDD_SUPPORT_TEAM_OF_H

#include <stdlib.h>

#include "core/loop/workshare.h"
#include "core/state/icv.h"
#include "core/state/root.h"
#include "core/state/task.h"
#include "core/state/team.h"
#include "core/state/thread.h"
#include "core/state/worksharing.h"
#include "core/sync/cancel.h"
#include "core/task/reduction.h"
#include "core/task/task_run.h"
#include "core/team/registration.h"
#include "os/memory.h"

__thread struct thread thread_tls = {.n_threads = 1, .spins = 10};
struct icv_process icv_process = {.num_procs = 2};
struct root runtime_root;

void thread_register(struct thread *t)
{
	(void)t;
	abort();
}

bool cancel_ends_workshare(const struct thread *t)
{
	return cancel_parallel_active(t->team);
}

bool task_run_one(struct thread *t)
{
	(void)t;
	return false;
}

void reduction_workshare_begin(struct thread *t, struct workshare *ws, uint64_t *data, bool first)
{
	(void)t;
	(void)ws;
	(void)data;
	(void)first;
	abort();
}

struct team_of {
	struct team *team;
	struct thread *threads;
	struct icv icv;
	struct task task;
};

/* Start a new region: the members encounter their first construct. */
static void team_of_begin(struct team_of *all)
{
	for (uint32_t i = 0; i < all->team->n_threads; i++)
		share_begin(&all->team->members[i].share);
}

static void team_of_init(struct team_of *all, uint32_t n_threads)
{
	*all = (struct team_of){0};
	all->team = memory_zalloc_line(sizeof(struct team));
	all->team->members = memory_zalloc_line(n_threads * sizeof(struct member));
	all->team->n_threads = n_threads;
	all->threads = memory_zalloc_line(n_threads * sizeof(struct thread));
	all->task.icv = &all->icv;
	for (uint32_t i = 0; i < n_threads; i++) {
		struct thread *t = &all->threads[i];

		t->team = all->team;
		t->member = &all->team->members[i];
		t->task = &all->task;
		t->thread_num = i;
		t->n_threads = n_threads;
		t->spins = 10;
	}
	team_of_begin(all);
}

/* End the region: all members have left it. */
static void team_of_end(struct team_of *all)
{
	if (share_was_used(&all->team->members[0].share))
		workshares_end_slow(all->team);
}

static void team_of_deinit(struct team_of *all)
{
	workshares_deinit(&all->team->workshares);
	free(all->threads);
	free(all->team->members);
	free(all->team);
}

#endif
