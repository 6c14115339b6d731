/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The root thread of a stock libgomp's pool: the pool's threads are members of its teams at the first level. */
#include "gomp/gomp.h"

ompd_rc_t gomp_pool_root(const struct process *process, ompd_addr_t pool, ompd_addr_t *ret)
{
	const struct gomp *g = gomp_of(process);
	ompd_addr_t threads, root;

	if (!offset_known(g->layout.pool_threads) || !pool)
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, pool + g->layout.pool_threads, &threads));
	if (!threads) {
		*ret = 0;
		return ompd_rc_ok;
	}
	RC_TRY(PROCESS_READ(process, threads, &root));
	*ret = root;
	return ompd_rc_ok;
}

/* Return whether @thread is the primary thread on every level: then it is a root. */
static ompd_rc_t is_root(const struct process *process, const struct gomp_thread *thread, bool *ret)
{
	struct gomp_ts ts = thread->ts;

	while (ts.level && !ts.team_id)
		RC_TRY(gomp_ts_leave(process, &ts));
	*ret = !ts.level;
	return ompd_rc_ok;
}

/* Return the root of @pool among the known roots if it still has that pool, or 0. */
static ompd_addr_t find_known_root(const struct process *process, ompd_addr_t pool)
{
	const struct gomp_known_root *known = gomp_of(process)->known_roots;
	struct gomp_thread thread;
	bool still;

	for (size_t i = 0; i < GOMP_MAX_KNOWN_ROOTS; i++) {
		if (known[i].pool == pool && gomp_thread_read(process, known[i].thread, &thread) == ompd_rc_ok &&
		    thread.pool == pool && is_root(process, &thread, &still) == ompd_rc_ok && still)
			return known[i].thread;
	}
	return 0;
}

void gomp_root_remember(const struct process *process, ompd_addr_t address, const struct gomp_thread *thread)
{
	struct gomp *g = process->data;
	ompd_addr_t named;
	bool root;

	/* A starting thread sets its pool first, then its place in the team, then its task. */
	if (!thread->pool || thread->ts.team_id || !thread->task ||
	    gomp_pool_root(process, thread->pool, &named) != ompd_rc_ok || named ||
	    is_root(process, thread, &root) != ompd_rc_ok || !root || find_known_root(process, thread->pool))
		return;
	g->known_roots[g->n_known_roots++ % GOMP_MAX_KNOWN_ROOTS] = (struct gomp_known_root){thread->pool, address};
}

ompd_rc_t gomp_region_root(const struct process *process, const struct region_ref *region, ompd_addr_t *ret)
{
	ompd_addr_t root = region->root;
	struct gomp_thread thread;
	bool via_is_root;

	if (!root && region->pool) {
		RC_TRY(gomp_pool_root(process, region->pool, &root));
		if (!root)
			root = find_known_root(process, region->pool);
	}
	if (!root && region->via) {
		RC_TRY(gomp_thread_read(process, region->via, &thread));
		RC_TRY(is_root(process, &thread, &via_is_root));
		if (via_is_root)
			root = region->via;
	}
	if (!root)
		return ompd_rc_unavailable;
	*ret = root;
	return ompd_rc_ok;
}
