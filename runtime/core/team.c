/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See team.h. */
#include "core/team.h"

#include <stdlib.h>

#include "core/affinity.h"
#include "core/places.h"
#include "core/pool.h"
#include "core/thread.h"
#include "os/cpus.h"
#include "os/memory.h"
#include "tools/ompd.h"

struct team *team_create(uint32_t capacity)
{
	struct team *team = memory_zalloc_line(sizeof(*team) + capacity * sizeof(struct member));

	team->capacity = capacity;
	team->members = (struct member *)(team + 1);
	workshares_init(&team->workshares, capacity);
	return team;
}

void team_destroy(struct team *team)
{
	for (uint32_t i = 0; i < team->capacity; i++)
		task_member_deinit(&team->members[i]);
	task_team_deinit(team);
	workshares_deinit(&team->workshares);
	free(team);
}

/* dyn-var: as many as there are CPUs that nobody else uses. */
static uint32_t dynamic_limit(void)
{
	int cpus = cpus_available();
	double load;

	if (getloadavg(&load, 1) == 1 && load > 0)
		cpus -= (int)(load + 0.5) < cpus ? (int)(load + 0.5) : cpus - 1;
	return (uint32_t)cpus;
}

uint32_t team_size(struct thread *t, uint32_t asked, uint32_t count)
{
	const struct icv *icv = t->task->icv;
	uint32_t n = asked ? asked : icv->nthreads;

	if (n <= 1)
		return 1;
	if (t->team->active_level >= icv->max_active_levels)
		return 1;
	if (unlikely(icv->dynamic)) {
		uint32_t limit = dynamic_limit();

		if (n > limit)
			n = limit;
	}
	if (count && n > count)
		n = count;
	return n;
}

/* A team of one, for the implicit region or a serialized one. */
static struct team *take_spare(struct thread *t)
{
	struct team *team = t->spare_teams;

	if (likely(team != NULL)) {
		t->spare_teams = team->next_free;
		return team;
	}
	return team_create(1);
}

void team_begin_initial(struct thread *t)
{
	struct team *team = take_spare(t);

	team->n_threads = 1;
	team->primary = t;
	team->level = team->active_level = 0;
	team->enclosing = NULL;
	team->fn = NULL;
	team->encountering = NULL;
	team->epoch = 1;
	team->in_use = 1;
	team->members[0].thread = t;
	task_init(&team->members[0].implicit, TASK_INITIAL, NULL, team, 0, &icv_process.initial);
	t->n_threads = 1;
	t->epoch = 1;
	t->thread_num = 0;
	t->member = &team->members[0];
	t->task = &team->members[0].implicit;
	__atomic_store_n(&t->team, team, __ATOMIC_RELEASE);
}

void team_end_initial(struct thread *t)
{
	struct team *team = t->team;

	task_deinit(t->task);
	t->team = NULL;
	t->task = NULL;
	t->member = NULL;
	team->in_use = 0;
	team->next_free = t->spare_teams;
	t->spare_teams = team;
}

/* Where the members go. The primary thread's own placement changes, too. */
static __attribute__((noinline)) void place(struct thread *t, struct pool *pool, uint32_t n_threads, enum bind bind)
{
	struct placement primary = placement_of(t);
	struct placement own = places_assign(bind, primary, n_threads, 0);

	t->place = (int32_t)own.place;
	t->place_first = own.first;
	t->place_len = own.len;
	if (pool->bind == bind && pool->bind_threads == n_threads && pool->bind_place == primary.place &&
	    pool->bind_first == primary.first && pool->bind_len == primary.len)
		return;
	for (uint32_t i = 1; i < n_threads; i++) {
		struct placement p = places_assign(bind, primary, n_threads, i);
		struct seat *seat = pool->seats[i - 1];

		seat->place = (int32_t)p.place;
		seat->place_first = p.first;
		seat->place_len = p.len;
	}
	pool->bind = bind;
	pool->bind_threads = n_threads;
	pool->bind_place = primary.place;
	pool->bind_first = primary.first;
	pool->bind_len = primary.len;
}

struct team *team_begin(struct thread *t, void (*fn)(void *), void *data, uint32_t n_threads, uint32_t flags,
			struct site site, const struct workshare_setup *first, void *reductions)
{
	struct task *encountering = t->task;
	struct team *enclosing = t->team;
	const struct icv *icv;
	struct pool *pool = NULL;
	struct team *team;
	struct member *member;
	uint32_t n_seats = 0;

	task_enter_runtime(encountering, site);
	if (n_threads == 1) {
		team = take_spare(t);
	} else {
		n_seats = t->pool ? t->pool->n_seats : 0;
		pool = pool_prepare(t, n_threads);
		team = pool->team;
	}

	team->n_threads = n_threads;
	team->level = enclosing->level + 1;
	team->active_level = enclosing->active_level + (n_threads > 1);
	team->enclosing = enclosing;
	team->primary = t;
	team->fn = fn;
	team->data = data;
	team->site = site;
	team->encountering = encountering;
	team->team_num = t->team_num;
	team->num_teams = t->num_teams;
	team->sequence = (t->serial << 40) + ++t->n_regions;
	team->epoch = (uint32_t)team->sequence | 1u << 31;
	if (unlikely(team->cancelled))
		team->cancelled = 0;
	team->reductions = reductions;
	icv = icv_for_level(encountering->icv, team->level, &team->icv);

	team->outer = (struct outer){
		.member = t->member,
		.thread_num = t->thread_num,
		.n_threads = t->n_threads,
		.epoch = t->epoch,
		.barrier_count = t->barrier_count,
		.state = t->state,
		.place = t->place,
		.place_first = t->place_first,
		.place_len = t->place_len,
	};
	if (unlikely(places.n) && pool) {
		enum bind bind = flags & TEAM_BIND_MASK ? flags & TEAM_BIND_MASK : encountering->icv->bind;

		if (bind != BIND_FALSE)
			place(t, pool, n_threads, bind);
	}

	member = &team->members[0];
	member->thread = t;
	member->tasks_seen = member->tasks_created;
	task_init(&member->implicit, TASK_IMPLICIT, encountering, team, 0, icv);
	member->implicit.frame.exit = (uint64_t)(uintptr_t)site.frame;
	member->implicit.frame.exit_flags = ompt_frame_runtime | ompt_frame_cfa;

	t->member = member;
	t->task = &member->implicit;
	t->thread_num = 0;
	t->n_threads = n_threads;
	t->epoch = team->epoch;
	t->barrier_count = (uint32_t)team->barrier.word & ~(BARRIER_ONE - 1);
	t->state = ompt_state_work_parallel;
	team->in_use = 1;
	/* A debugger that sees the team sees it complete. */
	__atomic_store_n(&t->team, team, __ATOMIC_RELEASE);
	share_begin(&member->share);
	if (unlikely(first != NULL)) {
		workshares_begin(t, first);
		workshare_join(t);
	}
	OMPD_POINT(parallel_begin);
	if (!pool)
		return team;

	t->pool = pool->inner;
	team->ended = (uint32_t)(team->barrier.word >> 32) + n_threads - 1;
	for (uint32_t i = 0; i < n_threads - 1; i++) {
		struct seat *seat = pool->seats[i];

		seat->n_threads = n_threads;
		seat->epoch = team->epoch;
		seat->barrier_count = t->barrier_count;
		seat->ended = team->ended;
		seat->has_first = first != NULL;
		seat->fn = fn;
		seat->data = data;
		seat->team = team;
		seat->encountering = encountering;
		seat->icv = icv;
		if (likely(i < n_seats))
			seat_call(seat);
		else
			pool_start_thread(pool, seat);
	}
	return team;
}

void team_end(struct thread *t)
{
	struct team *team = t->team;
	struct pool *pool = team->pool;
	struct outer *outer = &team->outer;

	if (pool) {
		barrier_end_wait(t, team->ended);
		/* Left by a barrier that was cancelled. */
		if (unlikely(team->barrier.word & BARRIER_TASKS))
			__atomic_fetch_and(&team->barrier.word, ~(uint64_t)BARRIER_TASKS, __ATOMIC_RELAXED);
	} else if (unlikely(team_has_tasks(team))) {
		barrier_wait(t, ompt_state_wait_barrier_implicit_parallel);
	}
	if (unlikely(team_has_tasks(team))) {
		__atomic_store_n(&team->has_tasks, 0, __ATOMIC_SEQ_CST);
		if (pool)
			pool_wait_helpers(team);
	}
	t->state = ompt_state_overhead;
	OMPD_POINT(parallel_end);

	task_deinit(t->task);
	if (team->workshares.first || team->workshares.n_singles)
		workshares_end_slow(team);
	t->member = outer->member;
	t->task = team->encountering;
	t->thread_num = outer->thread_num;
	t->n_threads = outer->n_threads;
	t->epoch = outer->epoch;
	t->barrier_count = outer->barrier_count;
	t->place = outer->place;
	t->place_first = outer->place_first;
	t->place_len = outer->place_len;
	__atomic_store_n(&t->team, team->enclosing, __ATOMIC_RELEASE);
	state_restore(t, outer->state);
	team->in_use = 0;
	if (pool) {
		pool->inner = t->pool;
		t->pool = pool;
	} else {
		team->next_free = t->spare_teams;
		t->spare_teams = team;
	}
	task_leave_runtime(t->task);
}
