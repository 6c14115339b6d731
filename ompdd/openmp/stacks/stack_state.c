/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses the runtime's table of events, which shows what each of its routines waits for. */
#include "openmp/stacks/stack_state.h"

#include <string.h>

#include <omp-tools.h>

#include "openmp/model/model.h"
#include "openmp/runtimes/descriptor.h"
#include "openmp/runtimes/offload.h"
#include "openmp/runtimes/runtime.h"
#include "openmp/stacks/stack_device.h"

/* ompt_state_undefined: the routine does not wait. */
static int get_event_state(enum event_kind kind)
{
	static const struct {
		enum event_kind kind;
		int state;
	} states[] = {
		{EVENT_BARRIER_ENTER, ompt_state_wait_barrier},
		{EVENT_IMPLICIT_BARRIER_ENTER, ompt_state_wait_barrier_implicit_workshare},
		{EVENT_TASKWAIT_ENTER, ompt_state_wait_taskwait},
		{EVENT_ORDERED_ACQUIRE, ompt_state_wait_ordered},
		{EVENT_CRITICAL_ACQUIRE, ompt_state_wait_critical},
		{EVENT_ATOMIC_ACQUIRE, ompt_state_wait_atomic},
		{EVENT_LOCK_ACQUIRE, ompt_state_wait_lock},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (states[i].kind == kind)
			return states[i].state;
	}
	return ompt_state_undefined;
}

static int get_entry_state(const struct runtime *runtime, const struct stacks_place *entry)
{
	for (const struct descriptor_event *const *list = runtime->descriptor->events; list && *list; list++) {
		for (const struct descriptor_event *i = *list; i->symbol && entry->callee; i++) {
			if (i->point != EVENT_AT_CALL || strcmp(i->symbol, entry->callee) != 0)
				continue;
			int state = get_event_state(i->kind);

			if (state != ompt_state_undefined)
				return state;
		}
	}
	if (entry->construct == CONSTRUCT_TASKGROUP)
		return ompt_state_wait_taskgroup;
	/* All threads meet where a single construct distributes its data. */
	return entry->construct == CONSTRUCT_SINGLE ? ompt_state_wait_barrier : ompt_state_undefined;
}

static bool is_in_team(const struct snapshot *s, const struct snapshot_thread *thread)
{
	if (thread->parallel.index == SNAPSHOT_NONE)
		return false;
	const struct snapshot_parallel *p = &s->parallels[thread->parallel.index];

	return p->level.rc == ompd_rc_ok && p->level.value > 0;
}

/*
 * Return whether a pool's thread is in no function of the program. It has finished the region, or has not started it.
 */
static bool has_no_code(const struct stacks_thread *t)
{
	for (uint32_t i = 0; i < t->n_frames; i++) {
		if (t->frames[i].kind == FRAME_USER)
			return false;
	}
	return t->end == STACK_OUTERMOST;
}

bool stack_state_is_at_device(struct target *target, const struct stacks_thread *t)
{
	/* Code for a device that the host executes may contain a region: its threads do not wait for the device. */
	uint32_t end = t->n_segments > 1 ? t->segments[1].first : t->n_frames;
	bool is_innermost = true;

	for (uint32_t i = 0; i < end; i++) {
		const struct stacks_place *place = t->frames[i].place;
		const struct target_module *module = place->source.module;

		if (module && offload_is_plugin(module->path))
			return true;
		is_innermost &= t->frames[i].kind == FRAME_RUNTIME;
		if (is_innermost && offload_has_code(target, place->pc - !place->is_exact))
			return true;
	}
	return false;
}

/* Find the construct that waits for the device. Code of the device may be further in on the same stack. */
static void set_entry(struct stacks *st, const struct stacks_thread *t, struct snapshot *s)
{
	struct snapshot_thread *thread = &s->threads[t->thread];

	for (uint32_t i = 0; i < t->n_segments; i++) {
		struct stacks_place *entry = stacks_entry(st, t, i);

		if (!entry || entry->construct != CONSTRUCT_TARGET)
			continue;
		thread->entry = entry;
		thread->construct = entry->construct;
		thread->has_device = stack_device_find(st, (size_t)(t - st->threads), i, &thread->device);
		return;
	}
}

static bool is_working(const struct snapshot_thread *thread)
{
	return thread->state.rc == ompd_rc_ok &&
	       (thread->state.value == ompt_state_work_serial || thread->state.value == ompt_state_work_parallel);
}

/* Return the state of a thread that executes code of the program. */
static int get_work_state(const struct snapshot *s, const struct snapshot_thread *thread)
{
	return is_in_team(s, thread) ? ompt_state_work_parallel : ompt_state_work_serial;
}

static void infer_state(struct snapshot_thread *thread, int state)
{
	thread->state = (struct snapshot_word){ompd_rc_ok, state};
	thread->state_is_inferred = true;
}

static void set_device_state(struct stacks *st, const struct stacks_thread *t, struct snapshot *s)
{
	set_entry(st, t, s);
	infer_state(&s->threads[t->thread], ompt_state_wait_target);
}

static void fill_state(struct stacks *st, struct snapshot *s, const struct runtime *runtime,
		       const struct stacks_thread *t, bool *filled)
{
	struct snapshot_thread *thread = &s->threads[t->thread];
	const struct stacks_place *entry = t->n_segments ? stacks_entry(st, t, 0) : NULL;
	int state = ompt_state_undefined;

	if (!t->n_frames)
		return;
	if (stack_state_is_at_device(st->t, t)) {
		set_device_state(st, t, s);
		if (filled)
			filled[t->thread] = true;
		return;
	}
	if (t->frames[0].kind == FRAME_USER)
		state = get_work_state(s, thread);
	else if (t->frames[0].kind != FRAME_RUNTIME)
		return;
	else if (t->task_is_over || has_no_code(t))
		state = is_in_team(s, thread) ? ompt_state_wait_barrier_implicit_parallel : ompt_state_undefined;
	else if (entry)
		state = get_entry_state(runtime, entry);
	if (state == ompt_state_undefined)
		return;
	infer_state(thread, state);
	if (filled)
		filled[t->thread] = true;
}

static bool is_at_barrier(const struct snapshot_thread *thread)
{
	return thread->state.rc == ompd_rc_ok && thread->state.value >= ompt_state_wait_barrier &&
	       thread->state.value <= ompt_state_wait_barrier_teams;
}

/* All threads of a team meet at the same barrier at the end of their region, and at the same one in its code. */
static bool is_same_barrier(const struct snapshot_thread *a, const struct snapshot_thread *b)
{
	return a->parallel.index != SNAPSHOT_NONE && a->parallel.index == b->parallel.index && is_at_barrier(b) &&
	       b->state.value != ompt_state_wait_barrier_implementation &&
	       (a->state.value == ompt_state_wait_barrier_implicit_parallel) ==
		       (b->state.value == ompt_state_wait_barrier_implicit_parallel);
}

/* If only the stack shows that a thread is at a barrier, it waits for the same object as its team at that barrier. */
static void share_wait(struct snapshot *s, struct snapshot_thread *thread)
{
	const struct snapshot_word *found = NULL;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *other = &s->threads[i];

		if (other == thread || other->wait_id.rc != ompd_rc_ok || !is_same_barrier(thread, other))
			continue;
		if (found && found->value != other->wait_id.value)
			return;
		found = &other->wait_id;
	}
	if (!found)
		return;
	thread->wait_id = *found;
	thread->wait_is_inferred = true;
}

/* Return whether the program called the runtime, maybe by a jump that left no frame of the program. */
static bool was_called(struct stacks *st, const struct stacks_thread *t)
{
	for (uint32_t i = 0; i < t->n_frames; i++) {
		const char *name = stack_places_function(st, t->frames[i].place);
		struct stacks_place *caller = i + 1 < t->n_frames ? t->frames[i + 1].place : NULL;

		if (!name || !construct_is_runtime_name(name))
			continue;
		if (!caller || caller->module_kind != PLACE_RUNTIME)
			return true;
		/* The runtime calls its own functions directly, and the program's through a register. */
		stacks_callee(st, caller);
		if (!caller->callee_address)
			return true;
	}
	return false;
}

/*
 * Return whether the runtime itself started the region, for target tasks: the complete stack of its primary thread has
 * no code of the program, and no call by the program.
 */
static bool is_of_helpers(struct stacks *st, const struct snapshot *s, const struct snapshot_parallel *p)
{
	if (!p->n_members || p->level.rc != ompd_rc_ok || p->level.value < 1)
		return false;
	size_t i = stacks_find(st, s->threads[p->members[0]].tid);
	const struct stacks_thread *t = i == SIZE_MAX ? NULL : stacks_thread(st, i);

	return t && t->end != STACK_MOVED && t->n_frames && has_no_code(t) && !was_called(st, t);
}

/* A helper thread without a task is idle, whether or not it waits at a barrier of its team. */
static void rest_helper(struct snapshot_thread *thread)
{
	if (thread->state.rc == ompd_rc_ok && !is_at_barrier(thread))
		return;
	infer_state(thread, ompt_state_idle);
	thread->wait_id.rc = ompd_rc_unavailable;
}

/* Find the teams of helper threads. Their regions have no function of the program. */
static void find_helpers(struct stacks *st, struct snapshot *s)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);

	if (!runtime || !runtime->descriptor->has_helper_teams || !offload_is_present(st->t))
		return;
	for (size_t i = 0; i < s->n_parallels; i++) {
		struct snapshot_parallel *p = &s->parallels[i];

		p->is_of_helpers = is_of_helpers(st, s, p);
		if (!p->is_of_helpers)
			continue;
		if (p->function_is_inferred)
			p->function.rc = ompd_rc_unavailable;
		for (uint32_t k = 0; k < p->n_members; k++) {
			struct snapshot_thread *thread = &s->threads[p->members[k]];
			size_t n = stacks_find(st, thread->tid);
			const struct stacks_thread *t = n == SIZE_MAX ? NULL : stacks_thread(st, n);

			if (thread->parallel.index == i && (is_at_barrier(thread) || (t && has_no_code(t))))
				rest_helper(thread);
		}
	}
}

void stack_state_fill(struct stacks *st, struct snapshot *s, bool *filled)
{
	const struct error *why;
	const struct runtime *runtime = model_runtime(st->m, &why);

	find_helpers(st, s);
	for (size_t i = 0; i < st->n_threads && runtime; i++) {
		const struct stacks_thread *t = stacks_thread(st, i);

		/* A stack that was read while its thread ran is not of one moment. */
		if (!t || t->end == STACK_MOVED || t->thread == SNAPSHOT_NONE || !s->threads[t->thread].openmp)
			continue;
		const struct snapshot_thread *thread = &s->threads[t->thread];
		/* The stack can also refine the state of a thread that the kernel shows somewhere in the runtime. */
		if (thread->state.rc != ompd_rc_ok ||
		    (thread->state_is_inferred && thread->state.value == ompt_state_overhead) ||
		    (is_working(thread) && stack_state_is_at_device(st->t, t)))
			fill_state(st, s, runtime, t, filled);
	}
	for (size_t i = 0; i < s->n_threads; i++) {
		struct snapshot_thread *thread = &s->threads[i];

		if (thread->openmp && thread->state_is_inferred && thread->wait_id.rc != ompd_rc_ok &&
		    is_at_barrier(thread))
			share_wait(s, thread);
	}
}

/* Return whether no device can be around the innermost task outside of the known frames. */
static bool has_whole_task(const struct stacks_thread *t)
{
	return t->n_segments > 1 || (t->n_frames && t->end == STACK_OUTERMOST);
}

void stack_state_fill_devices(struct stacks *st, struct snapshot *s)
{
	find_helpers(st, s);
	for (size_t i = 0; i < st->n_threads; i++) {
		const struct stacks_thread *t = stacks_thread(st, i);

		if (!t || t->end == STACK_MOVED || t->thread == SNAPSHOT_NONE || !s->threads[t->thread].openmp)
			continue;
		struct snapshot_thread *thread = &s->threads[t->thread];

		if (stack_state_is_at_device(st->t, t)) {
			if (thread->state.rc != ompd_rc_ok || is_working(thread))
				set_device_state(st, t, s);
		} else if (thread->state.rc != ompd_rc_ok && has_whole_task(t) && t->frames[0].kind == FRAME_USER) {
			infer_state(thread, get_work_state(s, thread));
		}
	}
}
