/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a sample of each thread from the data of memory, the kernel and stacks. */
#include "openmp/sampling/sampler/runtime_sampler.h"

#include <omp-tools.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_tid.h"
#include "openmp/model/model.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/walk/sample_walk.h"
#include "openmp/model/walk/walk.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/sampling/place.h"
#include "target/arch/syscalls.h"

/* With more threads, a running thread's activity is requested only in one of so many samplings. */
#define FEW_THREADS 32
#define ASK_EACH    8
/* The time that a sample waits for a stack. */
#define MAX_WAIT_US 1000000u

struct error *runtime_sampler_init(struct runtime_sampler *l, struct tally *tally, struct perf *perf, unsigned runtime)
{
	*l = (struct runtime_sampler){.tally = tally, .perf = perf, .runtime = runtime};
	return call_chains_create(tally, &l->chains);
}

static void forget_thread(struct runtime_sampler *l, struct sampled_thread *t)
{
	if (l->m)
		sample_walk_forget(&t->known, l->m);
}

void runtime_sampler_forget_handles(struct runtime_sampler *l, bool all)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct sample_walk_known *known = &l->threads[i].known;

		if (all)
			forget_thread(l, &l->threads[i]);
		known->is_valid = known->is_settled = known->has_all = false;
	}
}

void runtime_sampler_deinit(struct runtime_sampler *l)
{
	call_chains_destroy(l->chains);
	snapshot_deinit(&l->s);
	free(l->threads);
	*l = (struct runtime_sampler){0};
}

/* Threads */

struct sampled_thread *runtime_sampler_find_thread(struct runtime_sampler *l, pid_t tid)
{
	size_t i = BY_TID_PLACE_NEAR(l->threads, l->n_threads, tid, &l->found);

	return i < l->n_threads && l->threads[i].tid == tid ? &l->threads[i] : NULL;
}

bool runtime_sampler_list(struct runtime_sampler *l, const pid_t *tids, size_t n)
{
	struct sampled_thread *now = calloc(n ? n : 1, sizeof(*now));
	size_t kept = 0;

	if (!now)
		return false;
	for (size_t i = 0; i < n; i++) {
		/* Free the handles of threads that have exited. */
		while (kept < l->n_threads && l->threads[kept].tid < tids[i])
			forget_thread(l, &l->threads[kept++]);
		if (kept < l->n_threads && l->threads[kept].tid == tids[i])
			now[i] = l->threads[kept++];
		now[i].tid = tids[i];
	}
	while (kept < l->n_threads)
		forget_thread(l, &l->threads[kept++]);
	free(l->threads);
	l->threads = now;
	l->n_threads = n;
	return true;
}

static void read_activity(struct runtime_sampler *l, struct sampled_thread *t, uint32_t runs)
{
	target_activity(model_target(l->m), t->tid, &t->activity);
	t->is_asleep = t->activity.known;
	t->is_fresh = true;
	t->asleep_runs = t->is_asleep && perf_runs(l->perf, t->tid) == runs ? runs : 0;
	t->running_runs = t->is_asleep ? 0 : runs;
}

static bool has_slept(const struct sampled_thread *t, uint32_t runs)
{
	return t->is_asleep && runs && runs == t->asleep_runs;
}

void runtime_sampler_read_ahead(struct runtime_sampler *l)
{
	for (size_t i = 0; i < l->n_threads && l->wants_stacks && l->n_threads <= FEW_THREADS; i++) {
		struct sampled_thread *t = &l->threads[i];
		uint32_t runs = perf_runs(l->perf, t->tid);

		if (!t->known.object || has_slept(t, runs))
			continue;
		read_activity(l, t, runs);
		t->asked_ahead = l->n_samplings + 1;
	}
}

/*
 * Finds the activity of a thread. It is unchanged if the thread has not run since it was seen to sleep. A running
 * thread that has not been scheduled anew usually still runs or waits for its turn. With many threads it is requested
 * only now and then.
 */
static void get_activity(void *arg, const struct snapshot_thread *thread, struct target_activity *ret)
{
	struct runtime_sampler *l = arg;
	struct sampled_thread *t = runtime_sampler_find_thread(l, thread->tid);
	uint32_t runs = perf_runs(l->perf, thread->tid);

	/* The activity is needed for the stack, or if memory does not show the state. */
	if (!l->wants_stacks)
		return;
	if (t && (t->asked_ahead == l->n_samplings || has_slept(t, runs))) {
		*ret = t->activity;
		return;
	}
	bool works = thread->state.rc != ompd_rc_ok || thread->state.value == ompt_state_work_parallel ||
		     thread->state.value == ompt_state_work_serial;
	if (t && !t->is_asleep && runs && runs == t->running_runs && works && l->n_threads > FEW_THREADS &&
	    (l->n_samplings + (size_t)thread->tid) % ASK_EACH)
		return;
	if (!t) {
		target_activity(model_target(l->m), thread->tid, ret);
		return;
	}
	read_activity(l, t, runs);
	*ret = t->activity;
}

/*
 * The known data of a thread was read in the sampling before. The thread was seen to sleep after that read, or in an
 * earlier sampling. The data counts only if it has slept all the time since the read.
 */
struct sample_walk_known *runtime_sampler_get_known(void *arg, const struct snapshot_thread *thread, bool *slept_ret)
{
	struct runtime_sampler *l = arg;
	struct sampled_thread *t = runtime_sampler_find_thread(l, thread->tid);
	uint32_t runs = perf_runs(l->perf, thread->tid);
	bool slept = t && !t->is_fresh && has_slept(t, runs);

	*slept_ret = slept && t->slept;
	if (t)
		t->slept = slept;
	return t ? &t->known : NULL;
}

/* Rows of the tally */

static uint32_t get_region(struct runtime_sampler *l, const struct snapshot *s, const struct snapshot_thread *thread)
{
	uint32_t index = thread->parallel.index;
	const struct snapshot_parallel *p = index == SNAPSHOT_NONE ? NULL : &s->parallels[index];
	bool is_outside = !p || (p->level.rc == ompd_rc_ok && p->level.value == 0), is_new, is_inferred = false;
	int64_t level = is_outside ? 0 : p->level.rc == ompd_rc_ok ? p->level.value : -1;
	uint64_t key = 0;

	if (!is_outside) {
		const struct path_region *r = paths_region(&l->paths, index);

		key = r->function;
		is_inferred = r->is_inferred;
	}
	uint32_t number = tally_region(l->tally, l->runtime, key, level, is_outside, &is_new);
	if (number == TALLY_NONE)
		return number;
	struct tally_region *r = &l->tally->regions[number];
	if (is_new && key) {
		r->place = paths_function(&l->paths, key);
		r->is_inferred = is_inferred;
	}
	if (!is_outside && p->team_size.rc == ompd_rc_ok && p->team_size.value > r->max_team_size)
		r->max_team_size = p->team_size.value;
	return number;
}

static uint32_t get_lock(struct runtime_sampler *l, uint64_t address, enum profile_state state)
{
	bool is_new;
	uint32_t number = tally_lock(l->tally, address, state, &is_new);

	if (number != TALLY_NONE && is_new) {
		struct tally_lock *lock = &l->tally->locks[number];

		lock->name = place_variable(l->tally, l->paths.target, address, &lock->offset);
	}
	return number;
}

static uint32_t get_waited_lock(struct runtime_sampler *l, const struct snapshot_thread *thread,
				enum profile_state state)
{
	if (!profile_state_at_lock(state))
		return TALLY_NONE;
	l->wants_holds = true;
	if (thread->wait_id.rc != ompd_rc_ok || !thread->wait_id.value)
		return TALLY_NONE;
	return get_lock(l, (uint64_t)thread->wait_id.value, state);
}

/* Return the lock that a thread spins for: the lock that its current call acquires, if the code shows it. */
static uint32_t get_lock_of_chain(struct runtime_sampler *l, const struct call_chain *chain, enum profile_state state)
{
	if (!profile_state_at_lock(state))
		return TALLY_NONE;
	l->wants_holds = true;
	if (!chain->holds.is_wanting || chain->holds.wanted.is_only)
		return TALLY_NONE;
	return get_lock(l, chain->holds.wanted.address, state);
}

static uint32_t get_task(struct runtime_sampler *l, const struct snapshot *s, const struct snapshot_thread *thread)
{
	const struct snapshot_task *task = thread->task.index == SNAPSHOT_NONE ? NULL : &s->tasks[thread->task.index];
	bool is_new;

	if (!task || task->kind != TASK_EXPLICIT || task->function.rc != ompd_rc_ok)
		return TALLY_NONE;
	uint64_t key = (uint64_t)task->function.value;
	uint32_t number = tally_task(l->tally, key, &is_new);
	if (number != TALLY_NONE && is_new)
		l->tally->tasks[number].place = paths_function(&l->paths, key);
	return number;
}

/* Samples */

/* Return the row for samples outside of all regions. */
static uint32_t get_outside_region(struct runtime_sampler *l)
{
	bool is_new;

	return tally_region(l->tally, l->runtime, 0, 0, true, &is_new);
}

/*
 * Choose the region. A stack and memory are of different moments, at most a period apart: the region may have started
 * or ended in between. The stack decides; then the region is the last in which the thread was seen.
 */
static uint32_t choose_region(struct runtime_sampler *l, const struct sampled_thread *t, enum profile_state state,
			      uint32_t region)
{
	if (state == PROFILE_IDLE || state == PROFILE_SERIAL)
		return get_outside_region(l);
	bool is_outside = region != TALLY_NONE && l->tally->regions[region].is_outside;
	bool says_inside = state == PROFILE_WORK || profile_state_waits(state);
	return is_outside && says_inside && t->has_region ? t->last_region : region;
}

/* Return whether the thread was asleep in this sampling. A thread in sched_yield() is ready to run. */
static bool is_sleeping(const struct runtime_sampler *l, const struct sampled_thread *t)
{
	if (!l->stands)
		return t->is_asleep;
	return t->activity.known && t->activity.in_syscall && t->activity.syscall != SYS_sched_yield;
}

/* Return the stack that shows the place of the thread in @state: its present one, or the last one while it ran. */
static const struct call_chain *find_chain(const struct sampled_thread *t, const struct call_chain *now,
					   enum profile_state state)
{
	if (now)
		return now;
	for (uint32_t i = t->n_samples; i-- > 0;) {
		if (call_chain_can_be(t->samples[i], state))
			return t->samples[i];
	}
	return NULL;
}

/* Add the thread to the samples that are judged together with those of its team. */
static void add_lag(struct runtime_sampler *l, const struct sampled_thread *t, const struct tally_sample *sample,
		    uint32_t team, const struct call_chain *now)
{
	const struct call_chain *chain = find_chain(t, now, sample->state);

	if (sample->region == TALLY_NONE)
		return;
	lags_add(&l->tally->lags, &(struct lag_sample){
					  .runtime = l->runtime,
					  .team = team,
					  .region = sample->region,
					  .is_outside = l->tally->regions[sample->region].is_outside,
					  .thread_num = sample->thread_num,
					  .state = sample->state,
					  .is_awake = sample->is_awake,
					  .is_end = chain && call_chain_is_at_region_end(chain),
					  .syscall = sample->state == PROFILE_ASLEEP ? t->activity.syscall : 0,
					  .at = chain ? chain->at : (struct tally_place){0},
					  .us = l->sample_us,
				  });
}

/* Separate threads that sleep from threads that use a CPU. The stack shows whether the program's code sleeps. */
static void judge_sleep(const struct runtime_sampler *l, const struct sampled_thread *t, const struct call_chain *now,
			struct tally_sample *sample)
{
	bool is_asleep = is_sleeping(l, t);

	if (profile_state_waits(sample->state) || sample->state == PROFILE_IDLE) {
		sample->is_awake = !is_asleep;
		return;
	}
	bool is_program =
		sample->state == PROFILE_WORK || sample->state == PROFILE_SERIAL || sample->state == PROFILE_UNKNOWN;
	if (!is_asleep || !is_program || !now || now->in_runtime)
		return;
	if (t->activity.in_syscall)
		sample->state = PROFILE_ASLEEP;
	else
		sample->is_in_fault = true;
}

/* Add a running thread whose memory does not show its state: a stack will show it. */
static void add_running(struct runtime_sampler *l, struct sampled_thread *t, struct tally_sample *sample, uint32_t i,
			uint64_t t_us, uint64_t us)
{
	int64_t level = paths_level(&l->paths, i);
	const struct call_chain *newest = memory_states_newest(&l->memory_states, t->samples, t->n_samples, level);

	/* The region may be known by now, although it was unknown at the first of these samples. */
	if (!t->pending[PROFILE_UNKNOWN].n || t->unknown_region == TALLY_NONE ||
	    !l->tally->regions[t->unknown_region].key)
		t->unknown_region = sample->region;
	t->unknown_num = sample->thread_num;
	if (!newest) {
		runtime_sampler_add_pending(t, PROFILE_UNKNOWN, t_us, us);
		return;
	}
	sample->state = call_chain_state(newest, level);
	t->unknown_region = choose_region(l, t, sample->state, t->unknown_region);
	sample->lock = get_lock_of_chain(l, newest, sample->state);
	runtime_sampler_add_unknown(l, t, sample->state, sample->lock, t_us);
	sample->at = newest->at;
	sample->is_older = true;
	sample->region = choose_region(l, t, sample->state, sample->region);
	sample->is_awake = profile_state_waits(sample->state) || sample->state == PROFILE_IDLE;
	tally_add(l->tally, sample, t_us, us);
	runtime_sampler_add_pending(t, sample->state, t_us, us);
}

/* Count the kernel's samples of the thread: they show what its CPU time was used for. */
static void count_cpu_samples(struct runtime_sampler *l, const struct sampled_thread *t, uint32_t i)
{
	int64_t level = paths_level(&l->paths, i);

	for (uint32_t k = 0; k < t->n_samples; k++) {
		enum profile_state state = call_chain_state(t->samples[k], level);

		l->tally->cpu_samples++;
		l->tally->cpu_wait_samples += profile_state_waits(state) || state == PROFILE_IDLE;
	}
}

static void add_thread(struct runtime_sampler *l, const struct snapshot *s, uint32_t i, uint64_t t_us, uint64_t us)
{
	const struct snapshot_thread *thread = &s->threads[i];
	struct sampled_thread *t = runtime_sampler_find_thread(l, thread->tid);
	const struct call_chain *now = t && t->is_asleep && t->is_current ? t->chain : NULL;
	bool has_stacks = t && l->wants_stacks,
	     is_sampled = has_stacks && !t->is_asleep && perf_watches(l->perf, t->tid);
	struct tally_sample sample = {
		.tid = thread->tid,
		.thread_num = thread->thread_num.rc == ompd_rc_ok ? thread->thread_num.value : -1,
		.state = thread->state.rc == ompd_rc_ok ? profile_state_of(thread->state.value) : PROFILE_UNKNOWN,
		.task = get_task(l, s, thread),
		.region = get_region(l, s, thread),
	};

	/* The thread was stopped, so its stack shows the state. */
	if (l->stands && now && sample.state == PROFILE_UNKNOWN)
		sample.state = call_chain_state(now, paths_level(&l->paths, i));
	/* The thread sleeps: the stack shows whether it waits for a device. */
	if (now && now->at_device)
		sample.state = PROFILE_TARGET;
	/* The thread sleeps: the stack shows which barrier it waits at. */
	if (now && sample.state == PROFILE_BARRIER)
		sample.state = call_chain_barrier(now);
	sample.lock = get_waited_lock(l, thread, sample.state);
	if (has_stacks)
		judge_sleep(l, t, now, &sample);
	if (now)
		sample.at = now->at;
	else if (t && sample.lock != TALLY_NONE && find_chain(t, NULL, sample.state))
		sample.at = find_chain(t, NULL, sample.state)->at;
	if (t && sample.region != TALLY_NONE && !l->tally->regions[sample.region].is_outside) {
		t->has_region = true;
		t->last_region = sample.region;
	}
	if (is_sampled && sample.state == PROFILE_UNKNOWN) {
		add_running(l, t, &sample, i, t_us, us);
	} else {
		if (is_sampled)
			memory_states_note(&l->memory_states, sample.state, t->samples, t->n_samples,
					   paths_level(&l->paths, i));
		tally_add(l->tally, &sample, t_us, us);
		if (is_sampled)
			runtime_sampler_add_pending(t, sample.state, t_us, us);
		else if (now)
			runtime_sampler_add_to_tree(l, paths_node(&l->paths, i, now), sample.state, us);
		else
			l->no_stacks++;
	}
	if (!t)
		return;
	if (has_stacks) {
		count_cpu_samples(l, t, i);
		add_lag(l, t, &sample, thread->parallel.index, now);
	}
	if (t->n_samples)
		runtime_sampler_assign_pending(l, i, t);
	runtime_sampler_drop_pending(l, t, t_us, t_us > MAX_WAIT_US ? t_us - MAX_WAIT_US : 0);
}

void runtime_sampler_begin(struct runtime_sampler *l, struct model *m)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(m, &why);

	l->m = m;
	/* Where memory does not show the state of running threads, stacks are needed. */
	l->wants_stacks = l->tally->keeps_stacks || (runtime && runtime->descriptor->proofs);
	l->generation = call_chains_generation(l->chains);
	if (l->wants_holds)
		call_chains_want_holds(l->chains);
	l->n_samplings++;
	snapshot_deinit(&l->s);
	l->is_there = false;
}

struct error *runtime_sampler_read(struct runtime_sampler *l, unsigned timeout_ms)
{
	struct sample_walk sample = {.activity = get_activity, .known = runtime_sampler_get_known, .arg = l};
	struct error *err = walk_sample(l->m, RUNTIME_SAMPLER_CLIENT, timeout_ms, &sample, &l->s);

	l->is_there = !err;
	return err;
}

struct error *runtime_sampler_add(struct runtime_sampler *l, uint64_t t_us, uint64_t us)
{
	const struct snapshot *s = &l->s;

	l->sample_us = us;
	if (!paths_begin(&l->paths, l->tally, model_target(l->m), s))
		return &error_nomem;
	if (l->wants_stacks)
		runtime_sampler_take_stacks(l, s);
	for (size_t i = 0; i < s->n_threads; i++) {
		const struct sampled_thread *t = runtime_sampler_find_thread(l, s->threads[i].tid);

		l->paths.chains[i] = t ? t->chain : NULL;
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		if (s->threads[i].openmp)
			add_thread(l, s, i, t_us, us);
	}
	runtime_sampler_add_holders(l, s, us);
	paths_end(&l->paths);
	return NULL;
}
