/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library's count is exact. A count of states is exact once all threads of the team have a state. */
#include "openmp/model/state/barrier_arrivals.h"

#include <omp-tools.h>

#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

struct error *barrier_arrivals_request(struct plugin *p, struct snapshot *s)
{
	for (size_t i = 0; i < s->n_parallels; i++) {
		struct snapshot_parallel *parallel = &s->parallels[i];
		ompd_word_t n = 0;
		int rc = ompd_rc_unsupported;

		if (plugin_routines(p)->get_barrier_arrived)
			rc = plugin_call(p, get_barrier_arrived, parallel->object, &n);
		if (!ompd_rc_is_valid(rc))
			return ompd_misbehaved("ompd_get_barrier_arrived", "returned an unknown code");
		if (rc == ompd_rc_ok && n < 0)
			return ompd_misbehaved("ompd_get_barrier_arrived", "returned a negative number");
		parallel->n_arrived = (struct snapshot_word){rc, n};
		parallel->arrived_is_exact = rc == ompd_rc_ok;
	}
	return NULL;
}

/* Whether the library says that @thread, a member of region @parallel, waits at its barrier. */
static bool is_at_barrier(const struct snapshot_thread *thread, uint32_t parallel)
{
	return thread->parallel.index == parallel && thread->state.rc == ompd_rc_ok && !thread->state_is_inferred &&
	       thread->state.value >= ompt_state_wait_barrier && thread->state.value <= ompt_state_wait_barrier_teams;
}

void barrier_arrivals_count(struct snapshot *s)
{
	if (!(s->parts & SNAPSHOT_STATES))
		return;
	for (uint32_t i = 0; i < s->n_parallels; i++) {
		struct snapshot_parallel *parallel = &s->parallels[i];
		int64_t n = 0;
		bool is_exact =
			parallel->team_size.rc == ompd_rc_ok && parallel->team_size.value == parallel->n_members;

		if (parallel->n_arrived.rc != ompd_rc_unsupported || parallel->level.rc != ompd_rc_ok ||
		    parallel->level.value == 0)
			continue;
		for (uint32_t k = 0; k < parallel->n_members; k++) {
			const struct snapshot_thread *thread = &s->threads[parallel->members[k]];

			n += is_at_barrier(thread, i);
			is_exact &= thread->parallel.index != i || thread->state.rc == ompd_rc_ok;
		}
		parallel->n_arrived = (struct snapshot_word){ompd_rc_ok, n};
		parallel->arrived_is_exact = is_exact;
	}
}
