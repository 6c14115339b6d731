/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Takes the stacks of a sampling: the kernel's samples of running threads and the memory of sleeping ones. If all
 * threads are stopped, it reads the memory of all.
 */
#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/sampling/sampler/runtime_sampler.h"

/* Limit for the bytes of a sleeping thread's stack. */
#define STACK_BYTES (16u << 10)

/* Drop the chains of @t if all chains were forgotten since. */
static void drop_stale_chains(const struct runtime_sampler *l, struct sampled_thread *t)
{
	uint64_t generation = call_chains_generation(l->chains);

	if (t->generation == generation)
		return;
	t->generation = generation;
	t->chain = NULL;
	t->is_current = false;
	t->n_samples = 0;
}

struct sampled {
	struct runtime_sampler *l;
	struct sampled_thread *t;
};

static void on_sample(void *arg, const struct perf_sample *sample)
{
	struct sampled *to = arg;

	if (to->t->n_samples == RUNTIME_SAMPLER_MAX_SAMPLES)
		return;
	const struct call_chain *chain = call_chains_get(to->l->chains, to->l->m, &sample->copy, false);
	drop_stale_chains(to->l, to->t);
	if (!chain)
		return;
	to->t->samples[to->t->n_samples++] = chain;
	if (!to->t->is_asleep)
		to->t->chain = chain;
}

static void take_asleep(struct runtime_sampler *l, struct sampled_thread *t)
{
	struct target *target = model_target(l->m);
	struct stack_copies copies;
	struct target_activity now;
	struct error *err = stack_copies_take_asleep(target, t->tid, &t->activity, STACK_BYTES, &copies);

	t->is_current = false;
	if (err) {
		error_destroy(err);
		return;
	}
	const struct call_chain *chain = call_chains_get(l->chains, l->m, copies.copies, true);
	stack_copies_deinit(&copies);
	drop_stale_chains(l, t);
	/* The stack is of one moment if the thread slept all the time: its count of runs or its place is unchanged. */
	if (t->asleep_runs) {
		if (perf_runs(l->perf, t->tid) != t->asleep_runs)
			chain = NULL;
	} else {
		target_activity(target, t->tid, &now);
		if (memcmp(&now, &t->activity, sizeof(now)) != 0)
			chain = NULL;
	}
	if (!chain) {
		l->torn++;
		t->is_asleep = t->asleep_runs != 0 && perf_runs(l->perf, t->tid) == t->asleep_runs;
		return;
	}
	t->chain = chain;
	t->is_current = true;
}

/* Copies the stacks of all OpenMP threads. Only the stop has to be awaited for that. */
struct error *runtime_sampler_copy(struct runtime_sampler *l)
{
	const struct snapshot *s = &l->s;
	_cleanup_free_ pid_t *tids = malloc((s->n_threads ? s->n_threads : 1) * sizeof(*tids));
	size_t n = 0;

	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < s->n_threads; i++) {
		if (s->threads[i].openmp)
			tids[n++] = s->threads[i].tid;
	}
	if (!l->wants_stacks)
		return NULL;
	call_chains_start(l->chains, model_target(l->m));
	return stack_copies_take(model_target(l->m), tids, n, STACK_BYTES, &l->copies);
}

static void take_stopped(struct runtime_sampler *l)
{
	for (size_t i = 0; i < l->copies.n; i++) {
		struct sampled_thread *t = runtime_sampler_find_thread(l, l->copies.copies[i].tid);

		if (!t)
			continue;
		const struct call_chain *chain = call_chains_get(l->chains, l->m, &l->copies.copies[i], true);
		drop_stale_chains(l, t);
		t->chain = chain;
		t->is_current = t->is_asleep = chain != NULL;
		t->asleep_runs = t->running_runs = 0;
	}
	stack_copies_deinit(&l->copies);
}

static void take_running(struct runtime_sampler *l, const struct snapshot *s)
{
	call_chains_start(l->chains, model_target(l->m));
	for (size_t i = 0; i < s->n_threads; i++) {
		struct sampled_thread *t =
			s->threads[i].openmp ? runtime_sampler_find_thread(l, s->threads[i].tid) : NULL;
		struct sampled to = {l, t};

		if (!t)
			continue;
		t->n_samples = 0;
		perf_read(l->perf, t->tid, on_sample, &to);
		if (t->is_asleep &&
		    (t->is_fresh || !t->is_current || t->generation != call_chains_generation(l->chains)))
			take_asleep(l, t);
		t->is_fresh = false;
	}
}

void runtime_sampler_take_stacks(struct runtime_sampler *l, const struct snapshot *s)
{
	if (l->stands)
		take_stopped(l);
	else
		take_running(l, s);
	/* Chains of earlier samplings have been dropped: no pointer to them may remain. */
	uint64_t generation = call_chains_generation(l->chains);
	if (generation != l->generation)
		paths_forget(&l->paths);
	for (size_t i = 0; i < l->n_threads; i++)
		drop_stale_chains(l, &l->threads[i]);
}
