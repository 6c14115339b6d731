/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the holders of locks that threads wait for in this sampling, and their places: from the OMPD library, else from
 * the code on stacks.
 */
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/plugin/ompd.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/sampling/sampler/runtime_sampler.h"

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
 * A sleeping or stopped thread is at the place that its stack shows. The kernel saw a running thread up to a period
 * ago, perhaps before it got the lock.
 */
static const struct call_chain *get_chain(const struct sampled_thread *t, bool *is_inferred_ret)
{
	*is_inferred_ret = t && !t->is_asleep;
	if (!t || (t->is_asleep && !t->is_current))
		return NULL;
	if (t->is_asleep)
		return t->chain;
	return t->n_samples ? t->samples[t->n_samples - 1] : NULL;
}

static bool is_kind(enum holder_kind kind, enum profile_state state)
{
	switch ((int)state) {
	case PROFILE_CRITICAL:
		return kind == HOLDER_CRITICAL;
	case PROFILE_ATOMIC:
		return kind == HOLDER_ATOMIC;
	case PROFILE_LOCK:
		return kind == HOLDER_LOCK;
	default:
		return state == PROFILE_MUTEX;
	}
}

/* Return whether @lock is the runtime's own, which has no address in the program. */
static bool is_of_runtime(const struct runtime_sampler *l, const struct tally_lock *lock)
{
	const struct error *why;
	const struct runtime *runtime = l->m ? model_runtime(l->m, &why) : NULL;

	return runtime && lock->address >= runtime->start && lock->address < runtime->end;
}

/* Return whether the code on @chain has acquired @lock. */
static bool has_acquired(const struct runtime_sampler *l, const struct call_chain *chain, const struct tally_lock *lock)
{
	for (uint32_t i = 0; i < chain->holds.n; i++) {
		const struct stack_hold *hold = &chain->holds.held[i];

		if (is_kind(hold->kind, lock->state) &&
		    (hold->is_only ? is_of_runtime(l, lock) : hold->address == lock->address))
			return true;
	}
	return false;
}

/*
 * Find the holder by the code. A sleeping thread that has acquired the lock holds it. Else the holder is the only
 * running thread that was seen with the lock a moment ago. With two such threads the holder is unknown.
 */
static const struct call_chain *find_by_code(struct runtime_sampler *l, const struct snapshot *s,
					     const struct tally_lock *lock, bool *is_inferred_ret)
{
	const struct call_chain *found = NULL;
	bool several = false, is_inferred;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct sampled_thread *t =
			s->threads[i].openmp ? runtime_sampler_find_thread(l, s->threads[i].tid) : NULL;
		const struct call_chain *chain = get_chain(t, &is_inferred);

		if (!chain || !has_acquired(l, chain, lock))
			continue;
		*is_inferred_ret = is_inferred;
		if (!is_inferred)
			return chain;
		several |= found != NULL;
		found = chain;
	}
	return several ? NULL : found;
}

void runtime_sampler_add_holders(struct runtime_sampler *l, const struct snapshot *s, uint64_t us)
{
	for (uint32_t i = 0; i < l->tally->n_locks; i++) {
		const struct tally_lock *lock = &l->tally->locks[i];
		const struct snapshot_mutex *m = lock->waiters_now ? find_held(s, lock->address) : NULL;
		const struct call_chain *chain = NULL;
		bool is_inferred = false;

		if (m && m->thread != SNAPSHOT_NONE)
			chain = get_chain(runtime_sampler_find_thread(l, s->threads[m->thread].tid), &is_inferred);
		else if (!m && lock->waiters_now)
			chain = find_by_code(l, s, lock, &is_inferred);
		if (m || chain)
			tally_holder(l->tally, i, chain ? &chain->at : &(struct tally_place){0}, is_inferred, us);
	}
}
