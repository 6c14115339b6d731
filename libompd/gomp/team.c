/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Teams of stock libgomp and the records of their threads. */
#include <string.h>

#include "gomp/gomp.h"

void gomp_region_of(const struct process *process, const struct gomp_ts *ts, ompd_addr_t via, ompd_addr_t record,
		    const struct gomp_thread *thread, struct region_ref *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->level = ts->level;
	/* On level 0, a team is libgomp's helper for target tasks, not a region. */
	ret->team = ts->level ? ts->team : gomp_saved_record(process, via, record);
	ret->pool = thread->pool;
	ret->via = via;
	if (!thread->ts.level)
		ret->root = via;
}

ompd_rc_t gomp_team_member(const struct process *process, const struct gomp_team *team, uint32_t number,
			   ompd_addr_t *ret)
{
	const struct gomp_layout *l = &gomp_of(process)->layout;
	ompd_addr_t release;

	if (!team->has_releases || !offset_known(l->th_release))
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, team->ordered_release + number * sizeof(release), &release));
	if (release < l->th_release) /* the thread is being created */
		return ompd_rc_unavailable;
	*ret = release - l->th_release;
	return ompd_rc_ok;
}

ompd_rc_t gomp_team_primary(const struct process *process, const struct region_ref *region,
			    const struct gomp_team *team, ompd_addr_t *ret)
{
	struct gomp_ts outer = team->prev_ts;
	struct gomp_team around;

	if (!team->has_prev_ts)
		return ompd_rc_unavailable;
	while (outer.level && !outer.team_id)
		RC_TRY(gomp_ts_leave(process, &outer));
	if (!outer.level)
		return gomp_region_root(process, region, ret);
	RC_TRY(gomp_team_read(process, outer.team, &around));
	return gomp_team_member(process, &around, outer.team_id, ret);
}

ompd_rc_t gomp_region_is_left(const struct process *process, const struct region_ref *region, bool *ret)
{
	struct gomp_team team;
	ompd_addr_t address, record;

	RC_TRY(gomp_team_read(process, region->team, &team));
	RC_TRY(gomp_team_primary(process, region, &team, &address));
	ompd_rc_t rc = gomp_record_of_region(process, address, region, &record);

	if (rc != ompd_rc_ok && rc != ompd_rc_stale_handle)
		return rc;
	*ret = rc == ompd_rc_stale_handle;
	return ompd_rc_ok;
}
