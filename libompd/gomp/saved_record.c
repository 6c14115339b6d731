/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of threads that stock libgomp saves while the host executes a target region; see host_target.c. */
#include "gomp/gomp.h"
#include "memo.h"

struct gomp *gomp_current(const struct process *process)
{
	struct gomp *g = process->data;
	uint64_t moment = memo_moment(process->context);

	if (!moment || g->reported_moment != moment)
		g->n_host_targets = g->n_used = 0;
	g->reported_moment = moment;
	return g;
}

static const struct gomp_host_target *find_target(const struct process *process, ompd_addr_t frame)
{
	const struct gomp *g = gomp_current(process);

	for (size_t i = 0; i < g->n_host_targets; i++) {
		if (g->host_targets[i].frame == frame)
			return &g->host_targets[i];
	}
	return NULL;
}

bool gomp_saved_read(const struct process *process, ompd_addr_t record, struct gomp_thread *ret)
{
	const struct gomp_host_target *target = find_target(process, record);

	if (!target)
		return false;
	*ret = (struct gomp_thread){
		.ts = {target->team, target->team_id, target->level, target->active_level},
		.task = target->task,
		.pool = target->pool,
		.has_pool = offset_known(gomp_of(process)->layout.th_pool),
		.touched = true,
	};
	return true;
}

bool gomp_has_host_target(const struct process *process, ompd_addr_t thread)
{
	return gomp_saved_record(process, thread, thread) != 0;
}

ompd_addr_t gomp_saved_record(const struct process *process, ompd_addr_t thread, ompd_addr_t record)
{
	const struct gomp *g = gomp_current(process);
	ompd_addr_t found = 0;

	/* The stack grows down: an outer region's frame has a higher address. */
	for (size_t i = 0; i < g->n_host_targets; i++) {
		ompd_addr_t frame = g->host_targets[i].frame;

		if (g->host_targets[i].thread == thread && (record == thread || frame > record) &&
		    (!found || frame < found))
			found = frame;
	}
	return found;
}

ompd_rc_t gomp_saved_owner(const struct process *process, ompd_addr_t saved, ompd_addr_t *ret)
{
	const struct gomp_host_target *target = find_target(process, saved);

	if (!target)
		return ompd_rc_stale_handle;
	*ret = target->thread;
	return ompd_rc_ok;
}

ompd_rc_t gomp_record_of_region(const struct process *process, ompd_addr_t thread, const struct region_ref *region,
				ompd_addr_t *record_ret)
{
	for (ompd_addr_t record = thread, next; record; record = next) {
		struct gomp_thread copy;
		struct gomp_ts ts;

		next = gomp_saved_record(process, thread, record);
		RC_TRY(gomp_thread_read(process, record, &copy));
		ompd_rc_t rc = gomp_ts_on_level(process, &copy.ts, region->level, &ts);

		/* The state of a thread that is changing its team shows nothing. */
		if (rc != ompd_rc_ok && !next)
			return rc;
		if (rc == ompd_rc_ok && ts.level == region->level && region->team == (ts.level ? ts.team : next)) {
			*record_ret = record;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_stale_handle;
}
