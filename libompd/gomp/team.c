/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams of stock libgomp as parallel regions, and their threads; members of backend_gomp. */
#include <string.h>

#include "callbacks.h"
#include "gomp/gomp.h"

static void ts_parse(const struct gomp_layout *l, const uint8_t *bytes, struct gomp_ts *ret)
{
	memcpy(&ret->team, bytes, sizeof(ret->team));
	memcpy(&ret->team_id, bytes + l->ts_team_id, sizeof(ret->team_id));
	memcpy(&ret->level, bytes + l->ts_level, sizeof(ret->level));
	memcpy(&ret->active_level, bytes + l->ts_active_level, sizeof(ret->active_level));
}

ompd_rc_t gomp_team_read(const struct process *process, ompd_addr_t address, struct gomp_team *ret)
{
	const struct gomp *g = gomp_of(process);
	const struct gomp_layout *l = &g->layout;
	uint8_t bytes[GOMP_MAX_SPAN];

	RC_TRY(cb_read(process->context, address, g->team_span, bytes));
	memset(ret, 0, sizeof(*ret));
	memcpy(&ret->nthreads, bytes + l->team_nthreads, sizeof(ret->nthreads));
	ret->has_prev_ts = offset_known(l->team_prev_ts);
	if (ret->has_prev_ts)
		ts_parse(l, bytes + l->team_prev_ts, &ret->prev_ts);
	ret->has_releases = offset_known(l->team_ordered_release);
	if (ret->has_releases)
		memcpy(&ret->ordered_release, bytes + l->team_ordered_release, sizeof(ret->ordered_release));
	return ompd_rc_ok;
}

void gomp_region_of(const struct gomp_ts *ts, ompd_addr_t via, const struct gomp_thread *thread, struct region_ref *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->level = ts->level;
	/* On level 0, a team is libgomp's helper for target tasks, not a region. */
	ret->team = ts->level ? ts->team : 0;
	ret->pool = thread->pool;
	ret->via = via;
	if (!thread->ts.level)
		ret->root = via;
}

ompd_rc_t gomp_thread_region(const struct process *process, const struct thread_ref *ref, struct region_ref *ret)
{
	struct gomp_thread thread;

	RC_TRY(gomp_thread_read_member(process, ref->thread, &thread));
	gomp_region_of(&thread.ts, ref->thread, &thread, ret);
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_team(const struct process *process, const struct region_ref *region, struct gomp_team *ret)
{
	struct gomp_team team;

	RC_TRY(gomp_region_check(process, region));
	RC_TRY(gomp_team_read(process, region->team, &team));
	if (!team.nthreads || team.nthreads > GOMP_MAX_THREADS)
		return ompd_rc_stale_handle;
	if (team.has_prev_ts && team.prev_ts.level + 1 != region->level)
		return ompd_rc_stale_handle; /* another team uses the memory now */
	*ret = team;
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_enclosing(const struct process *process, const struct region_ref *region, struct region_ref *ret)
{
	struct gomp_team team;

	if (!region->level)
		return ompd_rc_unavailable;
	RC_TRY(gomp_region_team(process, region, &team));
	if (!team.has_prev_ts)
		return ompd_rc_unavailable;
	struct region_ref outer = *region;

	outer.level = team.prev_ts.level;
	outer.team = outer.level ? team.prev_ts.team : 0;
	*ret = outer;
	return ompd_rc_ok;
}

/* Find the record of thread @number from its semaphore, which the team refers to. */
static ompd_rc_t team_member(const struct process *process, const struct gomp_team *team, uint32_t number,
			     ompd_addr_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	ompd_addr_t release;

	if (!team->has_releases || !offset_known(l->th_release))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, team->ordered_release + number * sizeof(release), sizeof(release), &release));
	if (release < l->th_release) /* the thread is being created */
		return ompd_rc_unavailable;
	*ret = release - l->th_release;
	return ompd_rc_ok;
}

/* Thread 0 is a thread of the enclosing region, and may also be thread 0 there. */
static ompd_rc_t team_master(const struct process *process, const struct region_ref *region,
			     const struct gomp_team *inner, ompd_addr_t *ret)
{
	struct gomp_team team = *inner;

	if (!team.has_prev_ts)
		return ompd_rc_unavailable;
	for (unsigned depth = 0; depth < GOMP_MAX_DEPTH; depth++) {
		struct gomp_ts outer = team.prev_ts;

		if (!outer.level)
			return gomp_region_root(process, region, ret);
		RC_TRY(gomp_team_read(process, outer.team, &team));
		if (team.prev_ts.level >= outer.level)
			return ompd_rc_error;
		if (outer.team_id)
			return team_member(process, &team, outer.team_id, ret);
	}
	return ompd_rc_error;
}

ompd_rc_t gomp_ts_on_level(const struct process *process, const struct gomp_ts *ts, uint32_t level, struct gomp_ts *ret)
{
	*ret = *ts;
	for (unsigned depth = 0; ret->level > level; depth++) {
		struct gomp_team team;

		if (depth == GOMP_MAX_DEPTH)
			return ompd_rc_error;
		RC_TRY(gomp_team_read(process, ret->team, &team));
		if (!team.has_prev_ts)
			return ompd_rc_unavailable;
		*ret = team.prev_ts;
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_is_left(const struct process *process, const struct region_ref *region, bool *ret)
{
	struct gomp_team team;
	struct gomp_thread master;
	struct gomp_ts ts;
	ompd_addr_t address;

	RC_TRY(gomp_team_read(process, region->team, &team));
	RC_TRY(team_master(process, region, &team, &address));
	RC_TRY(gomp_thread_read(process, address, &master));
	RC_TRY(gomp_ts_on_level(process, &master.ts, region->level, &ts));
	*ret = ts.level != region->level || ts.team != region->team;
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_thread(const struct process *process, const struct region_ref *region, uint32_t number,
			     struct thread_ref *ret)
{
	struct gomp_team team;
	ompd_addr_t address;

	if (!region->level) {
		if (number)
			return ompd_rc_bad_input;
		RC_TRY(gomp_region_root(process, region, &address));
		return gomp_thread_ref(process, address, ret);
	}
	RC_TRY(gomp_region_team(process, region, &team));
	if (number >= team.nthreads)
		return ompd_rc_bad_input;
	if (number)
		RC_TRY(team_member(process, &team, number, &address));
	else
		RC_TRY(team_master(process, region, &team, &address));
	return gomp_thread_ref(process, address, ret);
}
