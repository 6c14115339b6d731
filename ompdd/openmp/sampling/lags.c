/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Judges the samples of each team of a sampling together. */
#include "openmp/sampling/lags.h"

#include <stdlib.h>

#include "base/vector.h"
#include "openmp/sampling/tally.h"

void lags_deinit(struct lags *l)
{
	free(l->rows);
	free(l->samples);
	*l = (struct lags){0};
}

void lags_add(struct lags *l, const struct lag_sample *sample)
{
	if (VECTOR_GROW(l->samples, l->n_samples, l->cap_samples))
		l->samples[l->n_samples++] = *sample;
}

static bool is_waiting(const struct lag_sample *s)
{
	if (s->is_outside)
		return s->state == PROFILE_IDLE;
	return s->state == PROFILE_BARRIER || s->state == PROFILE_BARRIER_EXPLICIT ||
	       s->state == PROFILE_BARRIER_IMPLICIT;
}

static bool is_working(const struct lag_sample *s)
{
	return s->state == PROFILE_ASLEEP || s->state == (s->is_outside ? PROFILE_SERIAL : PROFILE_WORK);
}

/* Samples of one team are next to each other, those outside of regions first. */
static int compare_samples(const void *a, const void *b)
{
	const struct lag_sample *x = a, *y = b;

	if (x->runtime != y->runtime)
		return x->runtime < y->runtime ? -1 : 1;
	if (x->is_outside != y->is_outside)
		return x->is_outside ? -1 : 1;
	return x->is_outside ? 0 : (x->team > y->team) - (x->team < y->team);
}

static struct lag_row *find_row(struct lags *l, const struct lag_sample *waiter)
{
	enum lag_kind kind = waiter->is_outside ? LAG_IDLE : waiter->is_end ? LAG_REGION_END : LAG_BARRIER;
	struct tally_place at = kind == LAG_BARRIER ? waiter->at : (struct tally_place){0};

	if (!l->rows)
		l->rows = calloc(LAGS_MAX_ROWS, sizeof(*l->rows));
	for (uint32_t i = 0; i < l->n_rows; i++) {
		struct lag_row *row = &l->rows[i];

		if (row->region == waiter->region && row->kind == kind && tally_is_same_place(&row->at, &at))
			return row;
	}
	if (!l->rows || l->n_rows == LAGS_MAX_ROWS)
		return NULL;
	l->rows[l->n_rows] = (struct lag_row){.region = waiter->region, .kind = kind, .at = at};
	return &l->rows[l->n_rows++];
}

static void add_worker(struct lag_row *row, const struct lag_sample *s, uint64_t us)
{
	uint32_t i = 0;

	while (i < row->n_workers &&
	       (row->workers[i].thread_num != s->thread_num || row->workers[i].state != s->state ||
		row->workers[i].syscall != s->syscall || row->workers[i].at.function != s->at.function ||
		row->workers[i].at.file != s->at.file))
		i++;
	if (i == LAGS_MAX_WORKERS) {
		row->other_us += us;
		return;
	}
	if (i == row->n_workers) {
		row->workers[i] = (struct lag_worker){
			.thread_num = s->thread_num, .state = s->state, .syscall = s->syscall, .at = s->at};
		row->n_workers++;
	}
	row->workers[i].us += us;
}

/* The counts of one team in a sampling. */
struct team {
	const struct lag_sample *samples;
	size_t n, n_waiting, n_working, n_other; /* n_other: in locks, tasks, or unknown */
	bool is_alone;				 /* of the threads outside: no thread is in a region */
};

static void add_waiter(struct lags *l, const struct team *team, const struct lag_sample *waiter)
{
	struct lag_row *row = find_row(l, waiter);

	if (!row) {
		l->refused_us += waiter->us;
		return;
	}
	row->wait_us += waiter->us;
	if (waiter->is_awake)
		row->awake_us += waiter->us;
	if (team->n_waiting > row->max_waiters)
		row->max_waiters = (uint32_t)team->n_waiting;
	/* An idle thread waits for the next region, which may be another thread's. A state that is not known may be
	 * work. */
	if (team->n_other || !team->is_alone)
		return;
	if (!team->n_working)
		row->all_wait_us += waiter->us;
	else if (team->n_working == 1)
		row->lone_us += waiter->us;
	if (team->n_working && 2 * team->n_working <= team->n)
		row->few_us += waiter->us;
	for (size_t i = 0; i < team->n; i++) {
		if (is_working(&team->samples[i]))
			add_worker(row, &team->samples[i], waiter->us / team->n_working);
	}
}

static void judge_team(struct lags *l, struct team *team)
{
	for (size_t i = 0; i < team->n; i++) {
		const struct lag_sample *s = &team->samples[i];

		if (is_waiting(s))
			team->n_waiting++;
		else if (is_working(s))
			team->n_working++;
		else if (s->state != PROFILE_OVERHEAD && s->state != PROFILE_IDLE)
			team->n_other++;
	}
	for (size_t i = 0; i < team->n; i++) {
		if (is_waiting(&team->samples[i]))
			add_waiter(l, team, &team->samples[i]);
	}
}

/* Return whether a thread of the runtime is in a region. Samples of a runtime are next to each other. */
static bool has_region(const struct lags *l, size_t from)
{
	for (size_t i = from; i < l->n_samples && l->samples[i].runtime == l->samples[from].runtime; i++) {
		if (!l->samples[i].is_outside)
			return true;
	}
	return false;
}

/* Judge the threads of the runtime whose samples start at @from together. */
static void judge_runtime(struct lags *l, size_t from)
{
	uint64_t us = 0;
	bool is_active = false, is_idle = true;

	for (size_t i = from; i < l->n_samples && l->samples[i].runtime == l->samples[from].runtime; i++) {
		const struct lag_sample *s = &l->samples[i];

		if (s->state == PROFILE_UNKNOWN)
			return;
		is_idle &= is_waiting(s) || s->state == PROFILE_OVERHEAD || s->state == PROFILE_IDLE;
		is_active |= s->state != PROFILE_IDLE;
		us += s->us;
	}
	l->judged_us += us;
	l->idle_us += is_active && is_idle ? us : 0;
}

void lags_end(struct lags *l)
{
	uint32_t n_teams = 0, n_threads = 0;

	if (l->n_samples)
		qsort(l->samples, l->n_samples, sizeof(*l->samples), compare_samples);
	for (size_t i = 0, k; i < l->n_samples; i = k) {
		k = i + 1;
		while (k < l->n_samples && !compare_samples(&l->samples[i], &l->samples[k]))
			k++;
		if (!i || l->samples[i - 1].runtime != l->samples[i].runtime)
			judge_runtime(l, i);
		struct team team = {.samples = &l->samples[i], .n = k - i};

		team.is_alone = !l->samples[i].is_outside || !has_region(l, i);
		judge_team(l, &team);
		n_teams += !l->samples[i].is_outside;
		n_threads += l->samples[i].is_outside ? 0 : (uint32_t)(k - i);
	}
	l->n_region_samplings += n_teams > 0;
	l->teams += n_teams;
	l->team_threads += n_threads;
	l->n_samples = 0;
}
