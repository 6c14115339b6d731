/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The life of a team: creation or reuse, setup for a region, and end. */
#include "core/team/region.h"

#include <stdlib.h>

#include "core/affinity/affinity_format.h"
#include "core/affinity/places.h"
#include "core/icv/icv_copy.h"
#include "core/loop/loop.h"
#include "core/loop/workshare.h"
#include "core/state/barrier_word.h"
#include "core/state/icv.h"
#include "core/state/seat.h"
#include "core/state/team.h"
#include "core/state/worksharing.h"
#include "core/sync/wake.h"
#include "core/task/reduction.h"
#include "core/task/task_member.h"
#include "core/team/barrier.h"
#include "core/team/pool.h"
#include "core/team/pool_thread.h"
#include "core/team/region_count.h"
#include "core/team/team_memory.h"
#include "core/team/team_size.h"
#include "core/team/tool_region.h"
#include "tools/observer.h"
#include "tools/point.h"

/* Assigns places to the members. Returns false if they are the same as the last time. */
static bool assign_places(struct pool *pool, struct placement primary, uint32_t n_threads, enum bind bind)
{
	if (pool->bind == bind && pool->bind_threads == n_threads && pool->bind_primary.place == primary.place &&
	    pool->bind_primary.first == primary.first && pool->bind_primary.len == primary.len)
		return false;
	for (uint32_t i = 1; i < n_threads; i++)
		pool->seats[i - 1]->placement = places_assign(bind, primary, n_threads, i);
	pool->bind = bind;
	pool->bind_threads = n_threads;
	pool->bind_primary = primary;
	return true;
}

/*
 * Sets the places of a new region's threads, which changes the primary thread's partition. Decides whether they are
 * displayed: if the team differs from the last displayed one (OpenMP 5.2, 2.6 and 21.2.1). Returns orders for all
 * seats.
 */
static __attribute__((noinline)) uint32_t arrange_places(struct thread *t, struct pool *pool, uint32_t n_threads,
							 enum bind bind)
{
	uint32_t orders = 0;

	if (places.n && bind != BIND_FALSE) {
		struct placement primary = placement_of(t);

		if (assign_places(pool, primary, n_threads, bind))
			orders = SEAT_PLACE;
		places_bind(t, places_assign(bind, primary, n_threads, 0));
	}
	if (icv_process.display_affinity && (orders || pool->shown_threads != n_threads ||
					     pool->shown_format != icv_process.affinity_format_generation)) {
		pool->shown_threads = n_threads;
		pool->shown_format = icv_process.affinity_format_generation;
		orders |= SEAT_DISPLAY;
	}
	return orders;
}

/* Saves the fields of the primary thread that the region changes; restores them. */
static inline void save_outer(const struct thread *t, struct outer *outer)
{
	*outer = (struct outer){
		.team = t->team,
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
}

static inline void restore_outer(struct thread *t, const struct outer *outer)
{
	t->member = outer->member;
	t->thread_num = outer->thread_num;
	t->n_threads = outer->n_threads;
	t->epoch = outer->epoch;
	t->barrier_count = outer->barrier_count;
	t->place = outer->place;
	t->place_first = outer->place_first;
	t->place_len = outer->place_len;
	__atomic_store_n(&t->team, outer->team, __ATOMIC_RELEASE);
	state_restore(t, outer->state);
}

/* The part that all kinds of regions share. @team is new, or was used before. */
static inline void set_up_team(struct team *team, struct thread *t, void (*fn)(void *), void *data, struct site site)
{
	team->primary = t;
	team->fn = fn;
	team->data = data;
	team->site = site;
	team->encountering = t->task;
	team->sequence = (t->serial << 40) + ++t->n_regions;
	__atomic_store_n(&team->epoch, (uint32_t)team->sequence | 1u << 31, __ATOMIC_RELAXED);
	if (unlikely(team->cancelled))
		team->cancelled = 0;
	/* No other thread is in the team, and no count is in use. */
	if (unlikely((uint32_t)__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED) >= 1u << 31))
		__atomic_store_n(&team->barrier.word, 0, __ATOMIC_RELAXED);
	save_outer(t, &team->outer);
}

/* @t becomes member 0 of @team. */
static inline void take_primary_seat(struct team *team, struct thread *t, enum task_kind kind, struct task *parent,
				     const struct icv *icv, ompt_state_t state)
{
	struct member *member = team_members(team);

	member->thread = t;
	member->tasks_seen = member->tasks_created;
	share_begin(&member->share);
	task_init(&member->implicit, kind, parent, team, team->epoch, 0, icv);
	task_enter_program(&member->implicit, team->site.frame);
	t->member = member;
	t->task = &member->implicit;
	t->thread_num = 0;
	t->n_threads = team->n_threads;
	t->epoch = team->epoch;
	t->barrier_count = barrier_arrived(__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED));
	state_set(t, state);
	team->begin_icv = icv;
	/* Stored last: a debugger that sees the team sees it complete, with all its members. */
	__atomic_store_n(&team->in_use, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&t->team, team, __ATOMIC_RELEASE);
}

/* All members have arrived, and only @t is left. The part that all kinds of regions share. */
static inline void tear_down_team(struct team *team, struct thread *t)
{
	if (unlikely(team_has_tasks(team))) {
		__atomic_store_n(&team->has_tasks, 0, __ATOMIC_SEQ_CST);
		if (team->pool)
			pool_wait_helpers(team);
	}
	task_deinit(t->task);
	if (share_was_used(&team->members[0].share) || unlikely(team->cancelled))
		workshares_end_slow(team);
	t->task = team->encountering;
	restore_outer(t, &team->outer);
	__atomic_store_n(&team->in_use, 0, __ATOMIC_RELAXED);
	if (!team->pool) {
		team->next_free = t->spare_teams;
		t->spare_teams = team;
	}
}

/* Returns a team of one. */
static inline struct team *take_spare(struct thread *t)
{
	struct team *team = t->spare_teams;

	if (likely(team != NULL)) {
		t->spare_teams = team->next_free;
		return team;
	}
	return team_create(1);
}

/* Starts the other members. */
static inline void call_seats(struct pool *pool, struct team *team, uint32_t n_old, const struct icv *icv,
			      uint32_t orders)
{
	uint32_t n = team->n_threads - 1;
	uint32_t barrier_count = team->primary->barrier_count;
	uint32_t sleepers = 0;

	/*
	 * Start all threads before the first is called, so that a debugger that stops in the region's code finds all
	 * members.
	 */
	for (uint32_t i = n_old; i < n; i++)
		pool_start_thread(pool, pool->seats[i]);
	/* Set before the first member is called, because members change the word. */
	team->ended = barrier_ended(__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED)) + n * BARRIER_ENDED;
	for (uint32_t i = 0; i < n; i++) {
		struct seat *seat = pool->seats[i];

		seat->fn = team->fn;
		seat->data = team->data;
		seat->team = team;
		seat->encountering = team->encountering;
		seat->icv = icv;
		seat->n_threads = team->n_threads;
		seat->epoch = team->epoch;
		seat->barrier_count = barrier_count;
		seat->ended = team->ended;
		seat->orders = orders;
		sleepers |= seat_call(seat);
	}
	if (unlikely(sleepers))
		pool_ring(pool, sleepers);
}

struct team *team_begin(struct thread *t, void (*fn)(void *), void *data, uint32_t n_threads, uint32_t flags,
			struct site site, const struct workshare_setup *first, void *reductions)
{
	struct task *encountering = t->task;
	struct team *enclosing = t->team, *team;
	struct pool *pool = NULL;
	const struct icv *icv;
	uint32_t n_seats = 0, orders = 0;

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
	team->team_num = enclosing->team_num;
	team->num_teams = enclosing->num_teams;
	team->generator = ompd_generator_parallel;
	team->reductions = reductions;
	set_up_team(team, t, fn, data, site);
	region_count_add(t, fn, team->level);
	icv = icv_for_region(encountering->icv, team->level, flags & TEAM_BIND_MASK, &team->icv);
	if (unlikely(places.n || icv_process.display_affinity) && pool)
		orders = arrange_places(t, pool, n_threads,
					flags & TEAM_BIND_MASK ? flags & TEAM_BIND_MASK : encountering->icv->bind);
	take_primary_seat(team, t, TASK_IMPLICIT, encountering, icv, ompt_state_overhead);
	if (unlikely(first != NULL)) {
		loop_begin_region(t, first);
		loop_join_region(t);
		orders |= SEAT_FIRST;
	}
	if (unlikely(orders & SEAT_DISPLAY))
		affinity_display(t, NULL);
	if (point_is_wanted())
		orders |= point_parallel_begin(t);
	if (pool) {
		t->pool = pool->inner;
		call_seats(pool, team, n_seats, icv, orders);
	}
	/* The state changes only now, because threads had to be woken. */
	state_set(t, ompt_state_work_parallel);
	return team;
}

static __attribute__((cold, noinline)) void report_end(struct thread *t)
{
	const struct team *team = t->team;

	/* A team with a pool has reported its wait at the barrier. */
	if (!team->pool && team->tool_epoch == team->epoch) {
		tool_region_wait(t);
		state_set(t, ompt_state_overhead);
	}
	point_parallel_end(t);
}

void team_end(struct thread *t)
{
	struct team *team = t->team;
	struct pool *pool = team->pool;

	task_leave_program(t->task);
	if (pool) {
		barrier_end_wait(t, team->ended);
		/* A cancelled barrier may have left the bit. */
		if (unlikely(__atomic_load_n(&team->barrier.word, __ATOMIC_RELAXED) & BARRIER_TASKS))
			__atomic_fetch_and(&team->barrier.word, ~(uint64_t)BARRIER_TASKS, __ATOMIC_RELAXED);
		if (unlikely(t->task->icv->thread_limit != UINT32_MAX))
			team_size_release(t, team->n_threads);
		pool->inner = t->pool;
		t->pool = pool;
	} else if (unlikely(team_has_tasks(team))) {
		/* report_end() reports this barrier to a tool, with or without tasks. */
		if (team->tool_epoch != team->epoch)
			barrier_wait(t, ompt_state_wait_barrier_implicit_parallel, NULL);
	}
	if (unlikely(team->reductions))
		reduction_team_end(team);
	state_set(t, ompt_state_overhead);
	if (point_is_wanted())
		report_end(t);
	tear_down_team(team, t);
	task_leave_runtime(t->task);
}

/* An implicit region of level 0. */
static void begin_level_0(struct team *team, struct thread *t, void (*fn)(void *), void *data, struct site site)
{
	team->n_threads = 1;
	team->level = team->active_level = 0;
	team->enclosing = NULL;
	team->around = t->team;
	team->team_num = 0;
	team->num_teams = 1;
	team->generator = fn ? ompd_generator_target : ompd_generator_program; /* league_begin_team() changes it */
	team->n_busy = 1;
	team->reductions = NULL;
	team->tool_league = 0;
	set_up_team(team, t, fn, data, site);
}

void team_begin_initial(struct thread *t)
{
	struct team *team = take_spare(t);

	begin_level_0(team, t, NULL, NULL, (struct site){0});
	take_primary_seat(team, t, TASK_INITIAL, NULL, &icv_process.initial, ompt_state_work_serial);
}

void team_end_initial(struct thread *t)
{
	tear_down_team(t->team, t);
	t->n_threads = 1;
}

void team_begin_nested_initial(struct thread *t, void (*fn)(void *), void *data, const struct icv *icv,
			       uint32_t thread_limit, struct site site)
{
	struct task *encountering = t->task;
	struct team *team = take_spare(t);

	task_enter_runtime(encountering, site);
	begin_level_0(team, t, fn, data, site);
	if (thread_limit) {
		team->icv = *icv;
		team->icv.older = NULL;
		team->icv.thread_limit = thread_limit;
		icv = &team->icv;
	}
	take_primary_seat(team, t, TASK_INITIAL, NULL, icv, ompt_state_work_serial);
	t->task->scheduling = encountering;
}

void team_end_nested_initial(struct thread *t)
{
	struct team *team = t->team;

	if (unlikely(team_has_tasks(team)))
		barrier_wait(t, ompt_state_wait_barrier_implicit, NULL);
	POINT(initial_end, t);
	tear_down_team(team, t);
	task_leave_runtime(t->task);
}
