/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds up samples by the target's regions, locks, tasks and threads. */
#include "openmp/sampling/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/by_tid.h"
#include "base/vector.h"

bool tally_init(struct tally *t, bool keeps_stacks, bool keeps_timeline)
{
	*t = (struct tally){
		.keeps_stacks = keeps_stacks,
		.keeps_timeline = keeps_timeline,
		.regions = calloc(TALLY_MAX_REGIONS, sizeof(*t->regions)),
		.locks = calloc(TALLY_MAX_LOCKS, sizeof(*t->locks)),
		.tasks = calloc(TALLY_MAX_TASKS, sizeof(*t->tasks)),
	};
	if (t->regions && t->locks && t->tasks)
		return true;
	tally_deinit(t);
	return false;
}

void tally_deinit(struct tally *t)
{
	for (uint32_t i = 0; i < t->n_regions; i++)
		free(t->regions[i].work_us);
	for (uint32_t i = 0; i < t->n_threads; i++)
		timeline_deinit(&t->threads[i].timeline);
	free(t->regions);
	free(t->locks);
	free(t->tasks);
	free(t->threads);
	texts_deinit(&t->texts);
	stack_tree_deinit(&t->tree);
	lags_deinit(&t->lags);
	*t = (struct tally){0};
}

uint32_t tally_region(struct tally *t, unsigned runtime, uint64_t key, int64_t level, bool is_outside, bool *is_new_ret)
{
	*is_new_ret = false;
	for (uint32_t i = 0; i < t->n_regions; i++) {
		const struct tally_region *r = &t->regions[i];

		if (r->runtime == runtime && r->key == key && r->level == level && r->is_outside == is_outside)
			return i;
	}
	if (t->n_regions == TALLY_MAX_REGIONS) {
		t->refused_regions++;
		return TALLY_NONE;
	}
	*is_new_ret = true;
	t->regions[t->n_regions] =
		(struct tally_region){.runtime = runtime, .key = key, .level = level, .is_outside = is_outside};
	return t->n_regions++;
}

uint32_t tally_lock(struct tally *t, uint64_t address, enum profile_state state, bool *is_new_ret)
{
	*is_new_ret = false;
	for (uint32_t i = 0; i < t->n_locks; i++) {
		if (t->locks[i].address == address && t->locks[i].state == state)
			return i;
	}
	if (t->n_locks == TALLY_MAX_LOCKS) {
		t->refused_locks++;
		return TALLY_NONE;
	}
	*is_new_ret = true;
	t->locks[t->n_locks] = (struct tally_lock){.address = address, .state = state};
	return t->n_locks++;
}

uint32_t tally_task(struct tally *t, uint64_t key, bool *is_new_ret)
{
	*is_new_ret = false;
	for (uint32_t i = 0; i < t->n_tasks; i++) {
		if (t->tasks[i].key == key)
			return i;
	}
	if (t->n_tasks == TALLY_MAX_TASKS) {
		t->refused_tasks++;
		return TALLY_NONE;
	}
	*is_new_ret = true;
	t->tasks[t->n_tasks] = (struct tally_task){.key = key};
	return t->n_tasks++;
}

static struct tally_thread *find_thread(struct tally *t, pid_t tid)
{
	uint32_t i = (uint32_t)BY_TID_PLACE_NEAR(t->threads, t->n_threads, tid, &t->found);

	if (i < t->n_threads && t->threads[i].tid == tid)
		return &t->threads[i];
	if (t->n_threads == TALLY_MAX_THREADS) {
		t->refused_threads++;
		return NULL;
	}
	if (!VECTOR_GROW(t->threads, t->n_threads, t->cap_threads)) {
		t->refused_threads++;
		return NULL;
	}
	memmove(&t->threads[i + 1], &t->threads[i], (t->n_threads - i) * sizeof(*t->threads));
	t->n_threads++;
	t->threads[i] = (struct tally_thread){.tid = tid, .thread_num = -1};
	return &t->threads[i];
}

void tally_begin(struct tally *t)
{
	t->samplings++;
	for (uint32_t i = 0; i < t->n_regions; i++)
		t->regions[i].threads_now = 0;
	for (uint32_t i = 0; i < t->n_locks; i++)
		t->locks[i].waiters_now = t->locks[i].waiters_proven = 0;
	for (uint32_t i = 0; i < t->n_tasks; i++)
		t->tasks[i].running_now = 0;
}

static void add_work(struct tally *t, struct tally_region *r, int64_t number, uint64_t us)
{
	if (number < 0 || number >= TALLY_MAX_MEMBERS)
		return;
	if (number >= r->n_members) {
		uint32_t n = (uint32_t)number + 1, more = n - r->n_members;
		uint64_t *work = t->n_all_members + more <= TALLY_MAX_ALL_MEMBERS
					 ? realloc(r->work_us, n * sizeof(*work))
					 : NULL;

		if (!work)
			return;
		memset(work + r->n_members, 0, more * sizeof(*work));
		r->work_us = work;
		r->n_members = n;
		t->n_all_members += more;
	}
	r->work_us[number] += us;
}

static void add_to_region(struct tally *t, const struct tally_sample *s, uint64_t us)
{
	struct tally_region *r = &t->regions[s->region];

	r->state_us[s->state] += us;
	r->awake_us += s->is_awake ? us : 0;
	r->samples += s->n_late ? s->n_late : 1;
	r->threads_now += !s->n_late;
	if (r->threads_now > r->max_threads)
		r->max_threads = r->threads_now;
	/* A thread that only waits is also a member, with no work. */
	if (!r->is_outside)
		add_work(t, r, s->thread_num, s->state == PROFILE_WORK ? us : 0);
}

bool tally_is_same_place(const struct tally_place *a, const struct tally_place *b)
{
	return a->function == b->function && a->file == b->file && a->line == b->line;
}

static void add_to_lock(struct tally_lock *l, const struct tally_sample *s, uint64_t us)
{
	uint32_t i = 0;

	l->wait_us += us;
	if (!l->max_waiters)
		l->max_waiters = 1;
	/* Samples of earlier samplings: the threads that waited at the same time are no longer known. */
	if (s->n_late)
		return;
	l->samples++;
	if (l->waiters_now++ == 0)
		l->samplings++;
	/* Samples of other moments: each thread may have waited for the one before. */
	l->waiters_proven += !s->is_older;
	if (l->waiters_proven > l->max_waiters)
		l->max_waiters = l->waiters_proven;
	if (!s->at.function)
		return;
	while (i < l->n_places && !tally_is_same_place(&l->places[i].place, &s->at))
		i++;
	if (i == TALLY_MAX_PLACES) {
		l->other_us += us;
		return;
	}
	if (i == l->n_places) {
		l->places[i].place = s->at;
		l->places[i].wait_us = 0;
		l->n_places++;
	}
	l->places[i].wait_us += us;
}

void tally_holder(struct tally *t, uint32_t lock, const struct tally_place *at, bool is_inferred, uint64_t us)
{
	struct tally_lock *l = &t->locks[lock];
	uint32_t i = 0;

	while (i < l->n_holders &&
	       (l->holders[i].is_inferred != is_inferred || !tally_is_same_place(&l->holders[i].place, at)))
		i++;
	if (!at->function || i == TALLY_MAX_PLACES) {
		l->holders_other_us += us;
		return;
	}
	if (i == l->n_holders) {
		l->holders[i].place = *at;
		l->holders[i].is_inferred = is_inferred;
		l->n_holders++;
	}
	l->holders[i].us += us;
}

static void add_to_task(struct tally_task *task, const struct tally_sample *s, uint64_t us)
{
	task->samples++;
	if (profile_state_waits(s->state))
		task->wait_us += us;
	else
		task->run_us += us;
	if (++task->running_now > task->max_running)
		task->max_running = task->running_now;
}

static void add_to_timeline(struct tally *t, struct tally_thread *thread, unsigned state, uint32_t region,
			    uint64_t t_us)
{
	if (!thread->timeline.cells && t->n_timelines == TALLY_MAX_TIMELINES)
		return;
	t->n_timelines += !thread->timeline.cells;
	if (!timeline_add(&thread->timeline, t_us, state, region == TALLY_NONE ? UINT16_MAX : region))
		t->n_timelines--;
}

void tally_add(struct tally *t, const struct tally_sample *s, uint64_t t_us, uint64_t us)
{
	struct tally_thread *thread = find_thread(t, s->tid);

	t->samples += s->n_late ? s->n_late : 1;
	t->state_us[s->state] += us;
	t->awake_us += s->is_awake ? us : 0;
	t->fault_us += s->is_in_fault ? us : 0;
	if (s->region != TALLY_NONE)
		add_to_region(t, s, us);
	if (s->lock != TALLY_NONE)
		add_to_lock(&t->locks[s->lock], s, us);
	if (s->task != TALLY_NONE)
		add_to_task(&t->tasks[s->task], s, us);
	if (!thread)
		return;
	thread->thread_num = s->thread_num;
	thread->state_us[s->state] += us;
	thread->awake_us += s->is_awake ? us : 0;
	thread->seen = t->samplings;
	if (t->keeps_timeline && !s->n_late)
		add_to_timeline(t, thread, s->state, s->region, t_us > us ? t_us - us : 0);
}

void tally_end(struct tally *t, uint64_t t_us)
{
	lags_end(&t->lags);
	for (uint32_t i = 0; i < t->n_threads && t->keeps_timeline; i++) {
		if (t->threads[i].seen != t->samplings && t->threads[i].timeline.n)
			timeline_add(&t->threads[i].timeline, t_us, TIMELINE_GONE, UINT16_MAX);
	}
}

void tally_pause(struct tally *t, uint64_t t_us)
{
	for (uint32_t i = 0; i < t->n_threads && t->keeps_timeline; i++) {
		if (t->threads[i].timeline.n)
			timeline_add(&t->threads[i].timeline, t_us, TIMELINE_GONE, UINT16_MAX);
	}
}

bool tally_imbalance(const struct tally_region *r, double *ret)
{
	uint64_t sum = 0, max = 0;

	for (uint32_t i = 0; i < r->n_members; i++) {
		sum += r->work_us[i];
		if (r->work_us[i] > max)
			max = r->work_us[i];
	}
	if (r->n_members < 2 || !sum)
		return false;
	*ret = (double)max * r->n_members / (double)sum;
	return true;
}
