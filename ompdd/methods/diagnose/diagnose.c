/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * diagnose.get: why the program makes no progress, or that it does make progress.
 * It makes two observations. The first one reads the kernel's data of each thread, without a stop. A moment later, the
 * second one reads them again, with the OpenMP state and the stacks. A thread that slept all the time between them is
 * still where the second observation finds it.
 */
#include "methods/diagnose/diagnose.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <omp-tools.h>

#include "base/clock.h"
#include "methods/diagnose/diagnose_moved.h"
#include "methods/diagnose/diagnose_observe.h"
#include "methods/diagnose/diagnose_progress.h"
#include "methods/diagnose/diagnose_sleep.h"
#include "methods/diagnose/observation.h"
#include "methods/json/json.h"
#include "methods/state.h"
#include "methods_worker.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/model/runtimes.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/walk/walk.h"
#include "openmp/python/python_frames.h"
#include "openmp/python/python_gil.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_mutex.h"
#include "openmp/stacks/stack_outside.h"
#include "openmp/stacks/stack_state.h"
#include "target/arch/syscalls.h"
#include "target/modules/emulator.h"
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

static struct error *read_words(struct worker *w, struct diagnosis *d)
{
	struct snapshot *s = &d->snapshot;

	d->words = calloc(s->n_threads ? s->n_threads : 1, sizeof(*d->words));
	if (!d->words)
		return &error_nomem;
	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		if (!thread->activity.known)
			target_activity(w->target, thread->tid, &thread->activity);
		/* The kernel shows the emulator's system calls, and their futex words do not belong to the program. */
		if (target_emulator(w->target))
			continue;
		struct error *err = target_find_restarted(w->target, &thread->activity);
		if (err)
			return err;
		err = diagnose_word_read(w->target, &thread->activity, &d->words[i]);
		if (err)
			return err;
		if (d->words[i].is_futex)
			stack_mutex_read(w->target, thread);
		err = stack_outside_read(w->target, s, thread);
		if (err)
			return err;
	}
	return NULL;
}

static void diagnosis_deinit(struct diagnosis *d)
{
	size_t n_threads = d->snapshot.n_threads;

	waits_deinit(&d->waits);
	holders_deinit(&d->holders);
	stacks_deinit(&d->stacks);
	snapshot_deinit(&d->snapshot);
	error_destroy(d->why);
	free(d->words);
	free(d->threads);
	free(d->where);
	free(d->cpu_ns);
	free(d->wanted_ns);
	free(d->cpus);
	for (size_t i = 0; d->came_from && i < n_threads; i++)
		free(d->came_from[i]);
	free(d->came_from);
	memset(d, 0, sizeof(*d));
}

static void diagnoses_deinit(struct diagnoses *all)
{
	for (size_t i = 0; i < RUNTIMES_MAX; i++) {
		diagnosis_deinit(&all->of[i]);
		progress_history_deinit(&all->history[i]);
	}
}

static struct error *capture_one(struct worker *w, struct diagnosis *d)
{
	struct snapshot *s = &d->snapshot;
	struct error *err = walk_snapshot(d->m, w->client, w->epoch, SNAPSHOT_ALL | SNAPSHOT_FRAMES | SNAPSHOT_HOLDERS,
					  w->plugin_options.timeout_ms, s);

	if (!err)
		err = read_words(w, d);
	if (err)
		return err;
	python_gil_find(w->target, s);
	_cleanup_free_ pid_t *tids = malloc((s->n_threads ? s->n_threads : 1) * sizeof(*tids));
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < s->n_threads; i++)
		tids[i] = s->threads[i].tid;
	err = stacks_take(d->m, s, tids, s->n_threads, STACK_COPY_MANY, STACK_MAX_FRAMES, &d->stacks);
	return err ? err : python_frames_take(&d->stacks);
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
		err = capture_one(w, d);
		d->is_there = !err;
		if (err && all->n > 1 && state_error_is_of_runtime(err)) {
			d->why = err;
			err = NULL;
		}
	}
	runtimes_main(w->runtimes);
	return err;
}

static bool is_idle(const struct snapshot_thread *thread)
{
	return thread->state.rc == ompd_rc_ok && thread->state.value == ompt_state_idle;
}

/*
 * Return whether the event that thread @i slept for has happened: the futex word has changed.
 * The change can last, as at a barrier that others have reached, or for a lock that another thread got. So a word that
 * already had this value at the first observation, while the thread kept sleeping, releases no thread.
 */
static bool is_released(const struct diagnosis *d, const struct observations *observations, size_t i)
{
	const struct snapshot_thread *thread = &d->snapshot.threads[i];
	const struct diagnose_word *word = &d->words[i];
	const struct runtime *runtime;
	const struct error *why;
	uint32_t bits = UINT32_MAX;

	if (holder_is_at_barrier(thread) && thread->wait_id.rc == ompd_rc_ok &&
	    (uint64_t)thread->wait_id.value == word->address && (runtime = model_runtime(d->m, &why)) &&
	    runtime->descriptor->barrier_wakes)
		bits = runtime->descriptor->barrier_wakes;
	if (!word->is_there || !((word->now ^ word->expected) & bits))
		return false;
	return d->threads[i].motion != MOTION_ASLEEP || !observation_has_word(&observations->first, thread->tid, word);
}

static void fill_thread(struct diagnosis *d, const struct observations *observations, size_t i)
{
	const struct snapshot_thread *thread = &d->snapshot.threads[i];
	struct waits_thread *t = &d->threads[i];
	struct stack_where *where = &d->where[i];
	size_t stack = stacks_find(&d->stacks, thread->tid);
	const struct target_progress *after = observation_pulse(&observations->second, thread->tid);

	t->motion = observations_motion(observations, thread->tid, &thread->activity);
	observations_cpu(observations, thread->tid, &d->cpu_ns[i], &d->wanted_ns[i]);
	d->n_ran += t->motion == MOTION_RAN;
	if (t->motion == MOTION_RAN && after && !after->is_asleep) {
		d->n_ready++;
		d->n_spinning += (holders_of(&d->holders, (uint32_t)i) || is_idle(thread)) && !thread->is_in_doacross;
		d->n_cpus += target_thread_cpus(d->w->target, thread->tid, &d->cpus[d->n_cpus]);
	}
	t->is_unseen = thread->openmp && thread->state.rc != ompd_rc_ok;
	t->is_released = is_released(d, observations, i);
	t->is_asleep = d->words[i].is_there && !t->is_released;
	t->is_hidden = t->is_unseen && target_emulator(d->w->target);
	t->sleeps = !target_emulator(d->w->target) && thread->activity.known && thread->activity.in_syscall &&
		    !diagnose_is_brief(&thread->activity) && !holders_of(&d->holders, (uint32_t)i) && !is_idle(thread);
	t->is_timed = t->sleeps && diagnose_is_timed(&thread->activity);
	t->is_restarted = t->sleeps && thread->activity.syscall == SYS_restart_syscall;
	if (stack == SIZE_MAX)
		return;
	stack_where_find(&d->stacks, stack, where);
	t->place = where->pc;
	t->is_at_end = d->stacks.threads[stack].task_is_over;
}

/* An emulator runs one thread at a time. While one runs, a sleeping thread may only wait for its turn. */
static void doubt_sleepers(struct diagnosis *d)
{
	if (!target_emulator(d->w->target) || !d->n_ran)
		return;
	for (size_t i = 0; i < d->snapshot.n_threads; i++) {
		struct waits_thread *t = &d->threads[i];

		if (t->motion != MOTION_ASLEEP || holders_of(&d->holders, (uint32_t)i))
			continue;
		t->motion = MOTION_UNKNOWN;
		t->is_unseen = true;
	}
}

/* Compare the use of the CPU quota at the first observation and now. */
static void find_throttling(struct diagnosis *d, const struct observations *l)
{
	if (!l->has_quota || strcmp(l->quota_first.group, l->quota_now.group) != 0)
		return;
	d->quota = l->quota_now;
	d->quota.n_periods -= l->quota_first.n_periods;
	d->quota.n_throttled -= l->quota_first.n_throttled;
	d->is_throttled = d->quota.n_throttled > 0;
}

/* Return whether the view shows one moment. A target that was not stopped for the observation may be stopped all the
 * same. */
static bool is_of_one_moment(const struct diagnosis *d)
{
	return d->view.consistency != VIEW_RACY || d->halt != DIAGNOSE_RUNS;
}

static struct error *conclude_diagnosis(struct diagnosis *d, const struct observations *observations,
					struct progress_history *history)
{
	size_t n = d->snapshot.n_threads ? d->snapshot.n_threads : 1;

	stack_mutex_find(&d->stacks, &d->snapshot, is_of_one_moment(d));
	struct error *err = stack_outside_find(&d->stacks, &d->snapshot, is_of_one_moment(d));
	if (err)
		return err;
	python_gil_prove(&d->stacks, &d->snapshot, is_of_one_moment(d));
	_cleanup_free_ bool *by_stack = calloc(n, sizeof(*by_stack));
	if (!by_stack)
		return &error_nomem;
	stack_state_fill(&d->stacks, &d->snapshot, by_stack);
	err = holders_find(d->m, &d->snapshot, &d->holders);
	if (err)
		return err;
	d->threads = calloc(n, sizeof(*d->threads));
	d->where = calloc(n, sizeof(*d->where));
	d->cpu_ns = calloc(n, sizeof(*d->cpu_ns));
	d->wanted_ns = calloc(n, sizeof(*d->wanted_ns));
	d->cpus = calloc(n, sizeof(*d->cpus));
	if (!d->threads || !d->where || !d->cpu_ns || !d->wanted_ns || !d->cpus)
		return &error_nomem;
	for (size_t i = 0; i < d->snapshot.n_threads; i++) {
		fill_thread(d, observations, i);
		d->threads[i].is_by_stack = by_stack[i];
	}
	doubt_sleepers(d);
	find_throttling(d, observations);
	err = progress_record(history, d);
	if (err)
		return err;
	progress_judge(history, d);
	d->first_thread = snapshot_find_thread(&d->snapshot, target_pid(d->w->target));
	return waits_find(
		&(struct waits_input){
			.s = &d->snapshot,
			.holders = &d->holders,
			.threads = d->threads,
			.is_core = d->interval_us == 0,
			.is_consistent = is_of_one_moment(d),
			.is_halted = d->halt != DIAGNOSE_RUNS,
			.first_thread = d->first_thread,
			.has_devices = offload_is_present(d->w->target),
		},
		&d->waits);
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
			err = conclude_diagnosis(d, observations, &all->history[i]);
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
