/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The diagnosis of one runtime: what a view captures, and what follows from it and from the observations. */
#include "methods/diagnose/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "methods/diagnose/diagnose_progress.h"
#include "methods/diagnose/diagnose_sleep.h"
#include "methods/diagnose/observation.h"
#include "methods/state_capture.h"
#include "openmp/model/model.h"
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

void diagnosis_deinit(struct diagnosis *d)
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

struct error *diagnosis_capture(struct worker *w, struct diagnosis *d)
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
		d->n_spinning +=
			(holders_of(&d->holders, (uint32_t)i) || waits_is_idle(thread)) && !thread->is_in_doacross;
		d->n_cpus += target_thread_cpus(d->w->target, thread->tid, &d->cpus[d->n_cpus]);
	}
	t->is_unseen = thread->openmp && thread->state.rc != ompd_rc_ok;
	t->is_released = is_released(d, observations, i);
	t->is_asleep = d->words[i].is_there && !t->is_released;
	t->is_hidden = t->is_unseen && target_emulator(d->w->target);
	t->sleeps = !target_emulator(d->w->target) && thread->activity.known && thread->activity.in_syscall &&
		    !diagnose_is_brief(&thread->activity) && !holders_of(&d->holders, (uint32_t)i) &&
		    !waits_is_idle(thread);
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

struct error *diagnosis_conclude(struct diagnosis *d, const struct observations *observations,
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
	err = progress_record(history, d, observations);
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
