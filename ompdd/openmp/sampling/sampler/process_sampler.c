/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads all runtimes first, then the target may run on, then each thread is assigned to a runtime. */
#include "openmp/sampling/sampler/process_sampler.h"

#include <stdlib.h>

#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/state/infer.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Threads are listed when their number has changed, and at this interval. */
#define LIST_US 1000000u
/* Handles are kept for this number of samplings. */
#define KEEP_HANDLES 100

struct error *process_sampler_init(struct process_sampler *ls, struct tally *tally, unsigned period_us)
{
	*ls = (struct process_sampler){.tally = tally};
	return perf_create(period_us, &ls->perf);
}

/* Free all handles of the libraries. */
static void leave_models(struct process_sampler *ls)
{
	for (size_t i = 0; i < ls->n; i++) {
		if (!ls->of[i]->m)
			continue;
		model_select(ls->of[i]->m);
		runtime_sampler_forget_handles(ls->of[i], true);
	}
	if (ls->runtimes)
		handles_client_gone(model_handles(runtimes_main(ls->runtimes)), RUNTIME_SAMPLER_CLIENT);
	ls->runtimes = NULL;
}

void process_sampler_end(struct process_sampler *ls)
{
	ls->torn = process_sampler_torn(ls);
	ls->lost = process_sampler_lost(ls);
	ls->no_stacks = process_sampler_no_stacks(ls);
	ls->failed = 0;
	leave_models(ls);
	for (size_t i = 0; i < ls->n; i++) {
		runtime_sampler_deinit(ls->of[i]);
		free(ls->of[i]);
	}
	ls->n = 0;
	perf_destroy(ls->perf);
	ls->perf = NULL;
}

void process_sampler_deinit(struct process_sampler *ls)
{
	process_sampler_end(ls);
	error_destroy(ls->perf_refused);
	ls->perf_refused = NULL;
}

/* Create one sampler for each runtime that is known by now. */
static struct error *create_samplers(struct process_sampler *ls, size_t n)
{
	while (ls->n < n) {
		struct runtime_sampler *l = calloc(1, sizeof(*l));
		struct error *err = l ? runtime_sampler_init(l, ls->tally, ls->perf, (unsigned)ls->n) : &error_nomem;

		if (err) {
			free(l);
			return err;
		}
		ls->of[ls->n++] = l;
	}
	ls->tally->has_several = n > 1;
	return NULL;
}

bool process_sampler_wants_stacks(const struct process_sampler *ls)
{
	bool any = false;

	for (size_t i = 0; i < ls->n; i++)
		any |= ls->of[i]->wants_stacks;
	return any;
}

/* The view */

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

static void watch_threads(struct process_sampler *ls, const pid_t *tids, size_t n)
{
	perf_keep(ls->perf, tids, n);
	for (size_t i = 0; i < n; i++) {
		struct error *err = perf_watches(ls->perf, tids[i]) ? NULL : perf_watch(ls->perf, tids[i]);

		if (error_catch(&err, ERR_NO_SUCH_THREAD) || !err)
			continue;
		error_destroy(ls->perf_refused);
		ls->perf_refused = err;
		/* A refusal for one thread usually applies to all: try again with the next list of threads. */
		return;
	}
}

static struct error *list_threads(struct process_sampler *ls, struct target *t)
{
	const struct target_thread *threads;
	size_t n;
	struct error *err = target_threads(t, &threads, &n);

	if (err)
		return err;
	_cleanup_free_ pid_t *tids = malloc((n ? n : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		tids[i] = threads[i].tid;
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (size_t i = 0; i < ls->n; i++) {
		model_select(ls->of[i]->m);
		if (!runtime_sampler_list(ls->of[i], tids, n))
			return &error_nomem;
	}
	if (process_sampler_wants_stacks(ls))
		watch_threads(ls, tids, n);
	return NULL;
}

/* Newly loaded libraries may include another runtime: the next sampling has it. */
static void update_runtimes(struct process_sampler *ls, struct runtimes *r, struct target *t)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);

	if (!err && n != ls->n_modules) {
		runtimes_find_more(r);
		ls->n_modules = n;
	}
	error_destroy(err);
}

/* *@n_ret: the kernel's number of threads, if it was requested. */
static bool is_same_view(const struct process_sampler *ls, const struct runtimes *r, struct target *t, uint64_t t_us,
			 size_t *n_ret)
{
	return target_count_threads(t, n_ret) && ls->runtimes == r && ls->n == runtimes_count(r) &&
	       *n_ret == ls->counted && t_us - ls->listed_us < LIST_US;
}

void process_sampler_read_ahead(struct process_sampler *ls, struct runtimes *r, uint64_t t_us)
{
	size_t n = 0;

	ls->is_begun = ls->runtimes == r && is_same_view(ls, r, model_target(ls->of[0]->m), t_us, &n);
	if (!ls->is_begun)
		return;
	target_view_again(model_target(ls->of[0]->m));
	for (size_t i = 0; i < ls->n; i++)
		runtime_sampler_read_ahead(ls->of[i]);
}

static struct error *start_view(struct process_sampler *ls, struct runtimes *r, struct target *t, uint64_t t_us)
{
	bool is_begun = ls->is_begun;
	size_t n = 0;

	ls->is_begun = false;
	if (is_begun)
		return NULL;
	if (is_same_view(ls, r, t, t_us, &n)) {
		target_view_again(t);
		return NULL;
	}
	target_view_begin(t);
	ls->listed_us = t_us;
	ls->counted = n;
	update_runtimes(ls, r, t);
	return list_threads(ls, t);
}

/* Until then regions keep their numbers from sampling to sampling. */
static void forget_handles(struct process_sampler *ls)
{
	handles_client_gone(model_handles(ls->of[0]->m), RUNTIME_SAMPLER_CLIENT);
	for (size_t i = 0; i < ls->n; i++)
		runtime_sampler_forget_handles(ls->of[i], false);
}

/* The sampling */

/* Return whether the error is not a runtime's, but the process's: it has ended, or is another program. */
static bool is_of_process(const struct error *err)
{
	return error_is(err, ERR_TARGET_EXITED) || error_is(err, ERR_TARGET_EXITING) || error_is(err, ERR_TARGET_EXEC);
}

static struct error *read_snapshots(struct process_sampler *ls, unsigned timeout_ms, size_t main)
{
	struct error *first = NULL;
	const struct error *why;
	size_t n_there = 0, n_failed = 0;

	for (size_t i = 0; i < ls->n; i++) {
		struct runtime_sampler *l = ls->of[i];
		struct error *err;

		/* The main runtime is required. Its error shows why it is missing. */
		if (i != main && !model_plugin(l->m, &why))
			continue;
		model_select(l->m);
		err = runtime_sampler_read(l, timeout_ms);
		n_there += l->is_there;
		if (err && (is_of_process(err) || !first || i == main)) {
			error_destroy(first);
			first = err;
			if (is_of_process(err))
				return first;
		} else {
			error_destroy(err);
		}
		n_failed += !l->is_there;
	}
	/* Else the profile counts the failure itself. */
	if (!n_there)
		return first;
	ls->failed += n_failed;
	error_destroy(first);
	return NULL;
}

static struct error *release_target(struct process_sampler *ls)
{
	struct error *err = NULL;

	for (size_t i = 0; i < ls->n && !err; i++) {
		if (ls->of[i]->is_there)
			err = runtime_sampler_copy(ls->of[i]);
	}
	struct error *late = ls->resume(ls->resume_arg);
	if (late) {
		error_destroy(err);
		err = late;
	}
	for (size_t i = 0; i < ls->n && err; i++)
		stack_copies_deinit(&ls->of[i]->copies);
	return err;
}

static bool is_in_region(const struct snapshot *s, const struct snapshot_thread *thread)
{
	const struct snapshot_parallel *p =
		thread->parallel.index == SNAPSHOT_NONE ? NULL : &s->parallels[thread->parallel.index];

	return p && p->level.rc == ompd_rc_ok && p->level.value > 0;
}

static bool is_elsewhere(const struct process_sampler *ls, size_t i, size_t number)
{
	int rank = ls->of[i]->threads[number].rank;

	for (size_t k = 0; k < ls->n; k++) {
		int other = ls->of[k]->is_there ? ls->of[k]->threads[number].rank : 0;

		if (k != i && (other > rank || (other == rank && k < i)))
			return true;
	}
	return false;
}

void process_sampler_assign_threads(struct process_sampler *ls, size_t main)
{
	for (size_t i = 0; i < ls->n; i++) {
		struct runtime_sampler *l = ls->of[i];

		for (size_t k = 0; k < l->n_threads; k++)
			l->threads[k].rank = 0;
		for (size_t k = 0; k < l->s.n_threads; k++) {
			struct sampled_thread *t = runtime_sampler_find_thread(l, l->s.threads[k].tid);

			if (t && l->s.threads[k].openmp)
				t->rank = 2 * (1 + is_in_region(&l->s, &l->s.threads[k])) + (i == main);
		}
	}
	for (size_t i = 0; i < ls->n; i++) {
		struct runtime_sampler *l = ls->of[i];

		for (size_t k = 0; k < l->s.n_threads; k++) {
			const struct sampled_thread *t = runtime_sampler_find_thread(l, l->s.threads[k].tid);

			if (t && l->s.threads[k].openmp && is_elsewhere(ls, i, (size_t)(t - l->threads)))
				l->s.threads[k].openmp = false;
		}
	}
}

static struct error *add_samples(struct process_sampler *ls, size_t main, uint64_t t_us, uint64_t us)
{
	struct error *err = NULL;

	for (size_t i = 0; i < ls->n; i++) {
		if (!ls->of[i]->is_there)
			continue;
		model_select(ls->of[i]->m);
		infer_snapshot(ls->of[i]->m, &ls->of[i]->s);
	}
	if (ls->n > 1)
		process_sampler_assign_threads(ls, main);
	tally_begin(ls->tally);
	for (size_t i = 0; i < ls->n && !err; i++) {
		if (!ls->of[i]->is_there)
			continue;
		model_select(ls->of[i]->m);
		err = runtime_sampler_add(ls->of[i], t_us, us);
	}
	tally_end(ls->tally, t_us);
	return err;
}

struct error *process_sampler_take(struct process_sampler *ls, struct runtimes *r, unsigned timeout_ms, uint64_t t_us,
				   uint64_t us)
{
	size_t n = runtimes_count(r), main = model_index(runtimes_main(r));
	bool is_new = n != ls->n;
	struct error *err = create_samplers(ls, n);

	if (err)
		return err;
	if (is_new)
		ls->runtimes = NULL;
	for (size_t i = 0; i < n; i++) {
		runtime_sampler_begin(ls->of[i], runtimes_get(r, i));
		ls->of[i]->stands = ls->resume != NULL;
	}
	if (++ls->n_samplings % KEEP_HANDLES == 0)
		forget_handles(ls);
	err = start_view(ls, r, model_target(ls->of[main]->m), t_us);
	ls->runtimes = r;
	if (!err)
		err = read_snapshots(ls, timeout_ms, main);
	if (!err && ls->resume)
		err = release_target(ls);
	if (!err)
		err = add_samples(ls, main, t_us, us);
	runtimes_main(r);
	return err;
}

void process_sampler_settle(struct process_sampler *ls, uint64_t t_us)
{
	for (size_t i = 0; i < ls->n; i++)
		runtime_sampler_settle(ls->of[i], t_us);
}

/* Counts */

uint64_t process_sampler_torn(const struct process_sampler *ls)
{
	uint64_t sum = ls->torn + ls->failed;

	for (size_t i = 0; i < ls->n; i++)
		sum += ls->of[i]->torn;
	return sum;
}

uint64_t process_sampler_lost(const struct process_sampler *ls)
{
	return ls->perf ? perf_lost(ls->perf) : ls->lost;
}

uint64_t process_sampler_no_stacks(const struct process_sampler *ls)
{
	uint64_t sum = ls->no_stacks;

	for (size_t i = 0; i < ls->n; i++)
		sum += ls->of[i]->no_stacks;
	return sum;
}
