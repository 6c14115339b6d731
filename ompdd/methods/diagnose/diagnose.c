/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * diagnose.get: why the program makes no progress, or that it does make progress.
 * It makes two observations. The first one reads the kernel's data of each thread, without a stop. A moment later, the
 * second one reads them again, with the OpenMP state and the stacks. A thread that slept all the time between them is
 * still where the second observation finds it.
 */
#include "methods/diagnose/diagnose.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "methods/diagnose/diagnosis.h"
#include "methods/diagnose/diagnose_moved.h"
#include "methods/diagnose/diagnose_observe.h"
#include "methods/diagnose/diagnose_progress.h"
#include "methods/diagnose/observation.h"
#include "methods/state_capture.h"
#include "methods_worker.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/state/infer.h"
#include "openmp/runtimes/runtime.h"
#include "target/target.h"
#include "worker/capture/capture.h"

/*
 * The maximum number of further observations, and their distance. Another observation is made while threads run, and
 * neither their progress nor the reason for the waits of others was seen. Together they take half a second.
 */
#define MAX_AGAIN 5
#define AGAIN_MS  100
_Static_assert(MAX_AGAIN + 1 <= PROGRESS_MAX_RECORDS, "each observation is recorded");
/* How long a process that was stopped from outside may take to stop again after our own stop. */
#define HALT_MS 200

/* The diagnoses of all runtimes of the process. */
struct diagnoses {
	struct diagnosis of[RUNTIMES_MAX];
	struct progress_history history[RUNTIMES_MAX];
	size_t n;
};

static void diagnoses_deinit(struct diagnoses *all)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++) {
		diagnosis_deinit(&all->of[i]);
		progress_history_deinit(&all->history[i]);
	}
}

static struct error *capture_diagnoses(struct worker *w, void *arg)
{
	struct diagnoses *all = arg;
	struct error *err = NULL;

	all->n = runtimes_count(w->runtimes);
	for (size_t i = 0; i < all->n && !err; i++) {
		struct diagnosis *d = &all->of[i];
		const struct error *why;

		diagnosis_deinit(d);
		d->w = w;
		d->m = runtimes_select(w->runtimes, i);
		if (!model_plugin(d->m, &why))
			continue;
		err = diagnosis_capture(w, d);
		d->is_there = !err;
		if (err && all->n > 1 && state_error_is_of_runtime(err)) {
			d->why = err;
			err = NULL;
		}
	}
	runtimes_main(w->runtimes);
	return err;
}

/* Return whether job control or a debugger has stopped the process. */
static bool is_halted_by_other(struct worker *w)
{
	return target_mode(w->target) != TARGET_CORE && !target_is_stopped(w->target) &&
	       target_is_stopped_by_other(w->target);
}

/* Find out what halts the process from outside. */
static enum diagnose_halt find_halt(struct worker *w, char *group)
{
	if (is_halted_by_other(w))
		return DIAGNOSE_STOPPED;
	return target_is_frozen(w->target, group) ? DIAGNOSE_FROZEN : DIAGNOSE_RUNS;
}

/* Wait until the process is halted again after our own stop: resumed threads enter the other halt a moment later. */
static bool is_halted_again(struct worker *w, enum diagnose_halt halt, char *group)
{
	int64_t until_us = clock_now_us() + HALT_MS * 1000;

	while (find_halt(w, group) != halt) {
		if (clock_now_us() >= until_us)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

/* Drop all observations. Returns the number of observations that remain: the observation at the whole state. */
static unsigned drop_observations(struct observations *observations)
{
	observations_deinit(observations);
	*observations = (struct observations){0};
	return 1;
}

/* Add what the stacks show to the snapshots. Return whether another view would show more, with more registers. */
static bool fill_snapshots(struct worker *w, struct diagnoses *all)
{
	bool needs_registers = false;

	for (size_t i = 0; i < all->n; i++) {
		struct diagnosis *d = &all->of[i];

		if (!d->is_there)
			continue;
		runtimes_select(w->runtimes, i);
		infer_snapshot(d->m, &d->snapshot);
		stack_fill_snapshot(&d->stacks, &d->snapshot);
		needs_registers |= infer_needs_registers(d->m, &d->snapshot);
		needs_registers |= stacks_need_registers(&d->stacks);
	}
	runtimes_main(w->runtimes);
	return needs_registers;
}

/* Take a view, and another one if that shows more. */
static struct error *take_view(struct worker *w, struct diagnoses *all, struct view *ret)
{
	struct error *err = worker_capture_stopped(w, capture_diagnoses, all, ret);

	if (err || !fill_snapshots(w, all))
		return err;
	err = worker_capture_stopped(w, capture_diagnoses, all, ret);
	if (err)
		return err;
	fill_snapshots(w, all);
	target_reset_proof(w->target);
	return NULL;
}

/* Capture the state, and conclude from it and from @observations. The total number of observations is then @n. */
static struct error *take_all(struct worker *w, struct observations *observations, unsigned n, struct diagnoses *all)
{
	struct view view;
	char group[CGROUP_MAX_PATH] = "";
	enum diagnose_halt halt = find_halt(w, group);

	/* The process was halted while the observations were made: they show how it came to a halt. */
	if (halt != DIAGNOSE_RUNS)
		n = drop_observations(observations);
	struct error *err = take_view(w, all, &view);
	if (!err && observations->second.n && view.consistency == VIEW_RACY) {
		err = observation_take_again(w->target, &observations->second, &observations->last);
		halt = err ? DIAGNOSE_RUNS : find_halt(w, group);
		if (halt != DIAGNOSE_RUNS) {
			n = drop_observations(observations);
			err = take_view(w, all, &view);
		}
	}
	if (halt != DIAGNOSE_RUNS && !err && !is_halted_again(w, halt, group))
		halt = DIAGNOSE_RUNS;
	for (size_t i = 0; i < all->n && !err; i++) {
		struct diagnosis *d = &all->of[i];

		d->view = view;
		d->n_observations = n;
		d->halt = halt;
		memcpy(d->group, group, sizeof(d->group));
		d->interval_us = observations->second.at_us - observations->origin.at_us;
		runtimes_select(w->runtimes, i);
		if (d->is_there)
			err = diagnosis_conclude(d, observations, &all->history[i]);
	}
	runtimes_main(w->runtimes);
	return err;
}

/* Make a further observation for the runtime of @all[@unclear]. Threads that have moved since the last observation do
 * not hang. */
static struct error *take_again(struct worker *w, struct observations *observations, unsigned n, struct diagnoses *all,
				size_t unclear)
{
	_cleanup_(whereabouts_deinit) struct whereabouts before = {0};
	struct error *err = diagnose_whereabouts(&all->of[unclear], &before);

	if (err)
		return err;
	err = diagnose_take_first(w, &all->of[unclear], &observations->first);
	if (err)
		return err;
	diagnose_sleep_until(observations->first.at_us + AGAIN_MS * 1000);
	observation_deinit(&observations->second);
	observation_deinit(&observations->last);
	observations->second = observations->last = (struct observation){0};
	err = diagnose_take_second(w, observations);
	if (!err)
		err = take_all(w, observations, n, all);
	if (!err && unclear < all->n && diagnose_is_unclear(&all->of[unclear]))
		err = diagnose_find_moved(&all->of[unclear], &before);
	return err;
}

/* Return the index of the runtime with the worst finding; all->n: no runtime has shown any. */
static size_t find_worst(const struct diagnoses *all)
{
	static const int rank[] = {
		[VERDICT_DEADLOCK] = 5, [VERDICT_BLOCKED] = 4, [VERDICT_UNKNOWN] = 3,
		[VERDICT_BUSY] = 2,	[VERDICT_WAITING] = 1, [VERDICT_IDLE] = 0,
	};
	size_t worst = all->n;

	for (size_t i = 0; i < all->n; i++) {
		if (all->of[i].is_there &&
		    (worst == all->n || rank[all->of[i].waits.verdict] > rank[all->of[worst].waits.verdict]))
			worst = i;
	}
	return worst;
}

static struct error *take_diagnoses(struct worker *w, int64_t interval_ms, struct diagnoses *all)
{
	_cleanup_(observations_deinit) struct observations observations = {0};
	struct error *err = worker_need_target(w);
	char group[CGROUP_MAX_PATH] = "";
	unsigned n = 1;

	if (!err)
		err = runtimes_need_plugin(w->runtimes);
	/* Nothing moves in a core, or while a client holds the target. */
	if (!err && target_mode(w->target) != TARGET_CORE && !target_is_stopped(w->target) && interval_ms > 0 &&
	    find_halt(w, group) == DIAGNOSE_RUNS) {
		err = diagnose_take_two(w, interval_ms, &observations);
		n++;
	}
	if (!err)
		err = take_all(w, &observations, n, all);
	for (size_t i; !err && n > 1 && n < 2 + MAX_AGAIN; n++) {
		i = find_worst(all);
		if (i == all->n || !all->of[i].interval_us ||
		    (!diagnose_is_unclear(&all->of[i]) && !progress_needs_more(&all->of[i])))
			break;
		err = take_again(w, &observations, n + 1, all, i);
	}
	return err;
}

struct error *handle_diagnose_get(struct worker *w, const struct diagnose_get_params *p, struct json_object **ret)
{
	_cleanup_(diagnoses_deinit) struct diagnoses all = {.n = 0};
	struct error *err = take_diagnoses(w, p->interval_ms, &all);

	if (err)
		return err;
	size_t worst = find_worst(&all);
	if (worst == all.n) {
		err = all.n ? all.of[0].why : NULL;
		if (all.n)
			all.of[0].why = NULL;
		if (!err)
			err = model_need_plugin(worker_model(w));
		return err ? err
			   : error_create(ERR_OPENMP_NOT_STARTED, "no OpenMP runtime of the process could be read");
	}
	runtimes_select(w->runtimes, worst);
	*ret = diagnose_json(all.of, all.n, worst, p->graph);
	runtimes_main(w->runtimes);
	return *ret ? NULL : &error_nomem;
}
