/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whoever holds a lock that others wait for in this look, as far as the OMPD library knows, and where that one is. */
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"
#include "openmp/profile/look.h"

static const struct snapshot_mutex *find_held(const struct snapshot *s, uint64_t address)
{
	for (size_t i = 0; i < s->n_mutexes; i++) {
		const struct snapshot_mutex *m = &s->mutexes[i];

		if (m->address == address && m->rc == ompd_rc_ok && m->state == OMPD_MUTEX_HELD)
			return m;
	}
	return NULL;
}

/*
 * A thread that sleeps, or stands, is where its stack says. One that runs was last seen by the kernel up to a period
 * ago, perhaps before it got the lock.
 */
static struct tally_place place_of(const struct look_thread *t, bool *is_inferred_ret)
{
	*is_inferred_ret = false;
	if (t && t->is_asleep)
		return t->is_current && t->trail ? t->trail->at : (struct tally_place){0};
	*is_inferred_ret = true;
	return t && t->n_samples ? t->samples[t->n_samples - 1]->at : (struct tally_place){0};
}

void look_add_holders(struct look *l, const struct snapshot *s, uint64_t us)
{
	for (uint32_t i = 0; s->n_mutexes && i < l->tally->n_locks; i++) {
		const struct tally_lock *lock = &l->tally->locks[i];
		const struct snapshot_mutex *m = lock->waiters_now ? find_held(s, lock->address) : NULL;
		bool is_inferred;

		if (!m)
			continue;
		const struct look_thread *t =
			m->thread == SNAPSHOT_NONE ? NULL : look_find(l, s->threads[m->thread].tid);
		struct tally_place at = place_of(t, &is_inferred);
		tally_holder(l->tally, i, &at, is_inferred, us);
	}
}
