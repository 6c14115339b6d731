/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a snapshot and the stacks of its threads to samples. */
#include "openmp/profile/look.h"

#include <omp-tools.h>
#include <stdlib.h>

#include "openmp/model/handles.h"
#include "openmp/model/infer.h"
#include "openmp/model/model.h"
#include "openmp/model/walk.h"
#include "openmp/profile/place.h"
#include "openmp/stacks/stack_list.h"

/* No connection has this number: whose handles the looks make. */
#define LOOK_CLIENT (-2)
/* Of a stack. */
#define MAX_FRAMES 256

void look_init(struct look *l, struct tally *tally)
{
	*l = (struct look){.tally = tally};
}

static void drop_places(struct look *l)
{
	struct stacks st = {.places = l->places, .n_places = l->n_places, .cap_places = l->cap_places};

	stack_places_deinit(&st);
	l->places = NULL;
	l->n_places = l->cap_places = 0;
}

void look_deinit(struct look *l)
{
	drop_places(l);
}

static uint64_t hash_modules(struct target *t)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);
	uint64_t h = (uint64_t)(uintptr_t)modules;

	if (err) {
		error_destroy(err);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		h = (h ^ modules[i].start) * 1099511628211u ^ (uint64_t)(uintptr_t)modules[i].path;
	return h;
}

/* What was found out about places, for the stacks of this look. */
static void lend_places(struct look *l, struct stacks *st)
{
	uint64_t hash = hash_modules(st->t);

	if (hash != l->modules_hash)
		drop_places(l);
	l->modules_hash = hash;
	st->places = l->places;
	st->n_places = l->n_places;
	st->cap_places = l->cap_places;
	l->places = NULL;
}

static void take_places(struct look *l, struct stacks *st)
{
	l->places = st->places;
	l->n_places = st->n_places;
	l->cap_places = st->cap_places;
	st->places = NULL;
	st->n_places = st->cap_places = 0;
	/* What an indirect call went to holds for that stack only. */
	for (size_t i = 0; i < l->cap_places; i++) {
		struct stacks_place *place = l->places[i];

		if (place && place->has_callee && !place->callee_address) {
			free(place->callee);
			place->callee = NULL;
			place->construct = CONSTRUCT_UNKNOWN;
			place->has_callee = false;
		}
	}
}

static uint32_t region_of(struct look *l, struct target *target, const struct snapshot *s,
			  const struct snapshot_thread *thread)
{
	const struct snapshot_parallel *p =
		thread->parallel.index == SNAPSHOT_NONE ? NULL : &s->parallels[thread->parallel.index];
	bool is_outside = !p || (p->level.rc == ompd_rc_ok && p->level.value == 0), is_new;
	uint64_t key = !is_outside && p->function.rc == ompd_rc_ok ? (uint64_t)p->function.value : 0;
	int64_t level = is_outside ? 0 : p->level.rc == ompd_rc_ok ? p->level.value : -1;
	uint32_t number = tally_region(l->tally, key, level, is_outside, &is_new);

	if (number == TALLY_NONE)
		return number;
	struct tally_region *r = &l->tally->regions[number];
	if (is_new && key) {
		r->place = place_of_function(l->tally, target, key);
		r->is_inferred = p->function_is_inferred;
	}
	if (!is_outside && p->team_size.rc == ompd_rc_ok && p->team_size.value > r->max_team_size)
		r->max_team_size = p->team_size.value;
	return number;
}

static uint32_t lock_of(struct look *l, struct target *target, const struct snapshot_thread *thread,
			enum profile_state state)
{
	bool is_new;

	if (!profile_state_at_lock(state) || thread->wait_id.rc != ompd_rc_ok || !thread->wait_id.value)
		return TALLY_NONE;
	uint64_t address = (uint64_t)thread->wait_id.value;
	uint32_t number = tally_lock(l->tally, address, state, &is_new);
	if (number != TALLY_NONE && is_new)
		l->tally->locks[number].name = place_variable(l->tally, target, address);
	return number;
}

static uint32_t task_of(struct look *l, struct target *target, const struct snapshot *s,
			const struct snapshot_thread *thread)
{
	const struct snapshot_task *task = thread->task.index == SNAPSHOT_NONE ? NULL : &s->tasks[thread->task.index];
	bool is_new;

	if (!task || task->kind != TASK_EXPLICIT || task->function.rc != ompd_rc_ok)
		return TALLY_NONE;
	uint64_t key = (uint64_t)task->function.value;
	uint32_t number = tally_task(l->tally, key, &is_new);
	if (number != TALLY_NONE && is_new)
		l->tally->tasks[number].place = place_of_function(l->tally, target, key);
	return number;
}

static struct error *add_stack(struct look *l, struct stacks *st, size_t i, struct tally_sample *sample)
{
	_cleanup_(stack_list_deinit) struct stack_list list = {0};
	const struct stacks_thread *t = stacks_thread(st, i);
	struct error *err = t ? stack_list_logical(st, i, &list) : &error_nomem;

	if (err)
		return err;
	if (!list.n || list.end == STACK_NO_REGISTERS || list.end == STACK_MOVED) {
		l->no_stacks++;
		return NULL;
	}
	sample->node = place_node(l->tally, st, &list);
	sample->has_stack = true;
	const struct stacks_place *entry = t->n_segments ? stacks_entry(st, t, 0) : NULL;
	if (entry)
		sample->at = place_of_source(l->tally, &entry->source.places[0]);
	return NULL;
}

static struct error *add_threads(struct look *l, struct stacks *st, const struct snapshot *s, uint64_t t_us,
				 uint64_t us)
{
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[st->threads[i].thread];
		struct tally_sample sample = {
			.tid = thread->tid,
			.thread_num = thread->thread_num.rc == ompd_rc_ok ? thread->thread_num.value : -1,
			.state = thread->state.rc == ompd_rc_ok ? profile_state_of(thread->state.value)
								: PROFILE_UNKNOWN,
		};

		sample.region = region_of(l, st->t, s, thread);
		sample.lock = lock_of(l, st->t, thread, sample.state);
		sample.task = task_of(l, st->t, s, thread);
		if (l->tally->keeps_stacks) {
			struct error *err = add_stack(l, st, i, &sample);
			if (err)
				return err;
		}
		tally_add(l->tally, &sample, t_us, us);
	}
	return NULL;
}

struct error *look_take(struct look *l, struct model *m, unsigned timeout_ms, uint64_t t_us, uint64_t us)
{
	_cleanup_(snapshot_deinit) struct snapshot s = {0};
	_cleanup_(stacks_deinit) struct stacks st = {0};
	struct error *err =
		walk_snapshot(m, LOOK_CLIENT, 0,
			      SNAPSHOT_PARALLELS | SNAPSHOT_TASKS | SNAPSHOT_STATES | SNAPSHOT_FRAMES, timeout_ms, &s);

	if (err)
		return err;
	infer_snapshot(m, &s);
	_cleanup_free_ pid_t *tids = malloc((s.n_threads ? s.n_threads : 1) * sizeof(*tids));
	size_t n = 0;
	if (!tids)
		return &error_nomem;
	for (size_t i = 0; i < s.n_threads; i++) {
		if (s.threads[i].openmp)
			tids[n++] = s.threads[i].tid;
	}
	err = stacks_take(m, &s, tids, n, STACK_COPY_MANY, MAX_FRAMES, &st);
	if (err)
		return err;
	lend_places(l, &st);
	stack_fill_snapshot(&st, &s);
	tally_begin(l->tally);
	err = add_threads(l, &st, &s, t_us, us);
	tally_end(l->tally, t_us);
	take_places(l, &st);
	handles_client_gone(model_handles(m), LOOK_CLIENT);
	return err;
}
