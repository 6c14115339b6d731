/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the thing that each waiting thread of a snapshot waits for, and its holders. */
#include "openmp/model/wait/holder.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/wait/finding.h"
#include "openmp/model/wait/outside.h"
#include "openmp/plugin/ompd.h"

static bool is_in_state(const struct snapshot_thread *thread, int first, int last)
{
	return thread->state.rc == ompd_rc_ok && thread->state.value >= first && thread->state.value <= last;
}

/* A thread that waits for the data of a single has the state of a barrier wait. */
static bool is_at_single(const struct snapshot *s, const struct snapshot_thread *thread)
{
	uint32_t index = (uint32_t)(thread - s->threads);

	if (!is_in_state(thread, ompt_state_wait_barrier_implicit_workshare,
			 ompt_state_wait_barrier_implicit_workshare))
		return false;
	if (thread->construct == CONSTRUCT_SINGLE)
		return true;
	for (size_t i = 0; i < s->n_awaited; i++) {
		if (s->awaited[i].thread == index && !s->awaited[i].as_state)
			return s->awaited[i].rc == ompd_rc_ok;
	}
	return false;
}

bool holder_is_at_barrier(const struct snapshot_thread *thread)
{
	return is_in_state(thread, ompt_state_wait_barrier, ompt_state_wait_barrier_teams);
}

static enum holder_kind get_lock_kind(const struct snapshot_thread *thread)
{
	return thread->lock == LOCK_NESTABLE ? HOLDER_NEST_LOCK : HOLDER_LOCK;
}

/* Uses the thread's state. The routine that it is in shows the kind of a lock better. */
static enum holder_kind get_wait_kind(const struct snapshot_thread *thread)
{
	if (thread->gil)
		return HOLDER_GIL;
	if (thread->mutex)
		return HOLDER_PTHREAD;
	if (thread->outside && thread->outside->has_holder)
		return thread->outside->kind;
	if (!thread->openmp || thread->state.rc != ompd_rc_ok)
		return HOLDER_NONE;
	switch ((int)thread->state.value) {
	case ompt_state_wait_taskwait:
		return HOLDER_TASKWAIT;
	case ompt_state_wait_taskgroup:
		return HOLDER_TASKGROUP;
	case ompt_state_wait_target:
		return HOLDER_DEVICE;
	case ompt_state_wait_lock:
		return get_lock_kind(thread);
	case ompt_state_wait_critical:
		return HOLDER_CRITICAL;
	case ompt_state_wait_atomic:
		return HOLDER_ATOMIC;
	case ompt_state_wait_ordered:
		return HOLDER_ORDERED;
	case ompt_state_wait_mutex:
		return thread->construct == CONSTRUCT_CRITICAL ? HOLDER_CRITICAL
		       : thread->construct == CONSTRUCT_ATOMIC ? HOLDER_ATOMIC
		       : thread->construct == CONSTRUCT_LOCK   ? get_lock_kind(thread)
							       : HOLDER_MUTEX;
	default:
		return holder_is_at_barrier(thread) ? HOLDER_BARRIER : HOLDER_NONE;
	}
}

void finding_note_activity(struct holder *h, const struct snapshot_thread *thread)
{
	h->tid = thread->tid;
	if (thread->openmp && is_in_state(thread, ompt_state_idle, ompt_state_idle))
		h->doing = HOLDER_IDLE;
	else if (get_wait_kind(thread) != HOLDER_NONE)
		h->doing = HOLDER_WAITS;
	else if (thread->activity.known && thread->activity.in_syscall)
		h->doing = HOLDER_SLEEPS;
	else if (thread->openmp ? is_in_state(thread, ompt_state_work_serial, ompt_state_work_induction)
				: thread->activity.known)
		h->doing = HOLDER_WORKS;
	if (h->doing == HOLDER_SLEEPS)
		h->call = thread->activity.syscall;
}

/* Makes room for one more in an array in the arena; NULL when memory is out. */
static struct holder *append_holder(struct finding *f, struct holder **array, uint32_t *n, uint32_t *cap)
{
	if (*n == *cap) {
		uint32_t bigger = *cap ? *cap * 2 : 4;
		struct holder *copy = arena_alloc(f->arena, bigger * sizeof(*copy));

		if (!copy) {
			f->no_memory = true;
			return NULL;
		}
		if (*n)
			memcpy(copy, *array, *n * sizeof(*copy));
		*array = copy;
		*cap = bigger;
	}
	return &(*array)[(*n)++];
}

void finding_add(struct finding *f, const struct holder *holder)
{
	struct holder *to;

	if (holder->source != HOLDER_INFERRED)
		to = append_holder(f, &f->holders, &f->wait->n_holders, &f->cap_holders);
	else if (f->wait->n_candidates++ < HOLDER_MAX_CANDIDATES)
		to = append_holder(f, &f->candidates, &f->wait->n_listed, &f->cap_listed);
	else
		return;
	if (to)
		*to = *holder;
}

void finding_add_thread(struct finding *f, uint32_t thread, enum holder_source source, const char *evidence)
{
	struct holder h = {.thread = thread, .task = SNAPSHOT_NONE, .source = source, .call = -1, .evidence = evidence};

	h.task = f->s->threads[thread].task.index;
	finding_note_activity(&h, &f->s->threads[thread]);
	finding_add(f, &h);
}

/* Barriers: team members that have not arrived. */

static void find_barrier(struct finding *f)
{
	const struct snapshot_thread *waiter = &f->s->threads[f->wait->thread];

	if (waiter->parallel.index == SNAPSHOT_NONE) {
		f->wait->unknown = "the region of the barrier is not known";
		return;
	}
	const struct snapshot_parallel *region = &f->s->parallels[waiter->parallel.index];
	bool all = region->team_size.rc == ompd_rc_ok && (int64_t)region->n_members == region->team_size.value;

	for (uint32_t i = 0; i < region->n_members; i++) {
		uint32_t member = region->members[i];
		const struct snapshot_thread *thread = &f->s->threads[member];

		if (thread->parallel.index != waiter->parallel.index) {
			finding_add_thread(f, member, HOLDER_FROM_PLUGIN,
					   "it is a member of the team and executes another region");
		} else if (thread->state.rc != ompd_rc_ok) {
			finding_add_thread(f, member, HOLDER_INFERRED,
					   "the place of this member of the team is not known");
			all = false;
		} else if (!holder_is_at_barrier(thread)) {
			bool sure = !thread->state_is_inferred ||
				    !is_in_state(thread, ompt_state_overhead, ompt_state_overhead);

			finding_add_thread(f, member,
					   !sure		       ? HOLDER_INFERRED
					   : thread->state_is_inferred ? HOLDER_FROM_KERNEL
								       : HOLDER_FROM_PLUGIN,
					   sure ? "it is a member of the team and has not arrived at the barrier"
						: "it is a member of the team and executes code of the runtime");
			all &= sure;
		} else if (thread->wait_id.rc == ompd_rc_ok && waiter->wait_id.rc == ompd_rc_ok &&
			   thread->wait_id.value != waiter->wait_id.value) {
			finding_add_thread(f, member, HOLDER_FROM_PLUGIN,
					   "it is a member of the team and waits at another barrier");
		}
	}
	f->wait->is_complete = all;
	if (!all)
		f->wait->unknown = "some members of the team, or their places, are not known";
}

/* All threads except those with the same wait. */

/* A thread that has left the doacross loop for a barrier of the region executes none of its iterations. */
static bool has_left_loop(const struct snapshot_thread *waiter, const struct snapshot_thread *thread)
{
	return waiter->is_in_doacross && thread->parallel.index == waiter->parallel.index &&
	       is_in_state(thread, ompt_state_wait_barrier, ompt_state_wait_barrier_teams);
}

static void find_candidates(struct finding *f)
{
	const struct snapshot_thread *waiter = &f->s->threads[f->wait->thread];

	for (uint32_t i = 0; i < f->s->n_threads; i++) {
		const struct snapshot_thread *thread = &f->s->threads[i];

		if (i == f->wait->thread || !thread->openmp || has_left_loop(waiter, thread) ||
		    (thread->wait_id.rc == ompd_rc_ok && waiter->wait_id.rc == ompd_rc_ok &&
		     thread->wait_id.value == waiter->wait_id.value) ||
		    (thread->lock_address && thread->lock_address == waiter->lock_address))
			continue;
		finding_add_thread(f, i, HOLDER_INFERRED, "it does not wait for the same resource");
	}
	f->wait->unknown = waiter->is_in_doacross  ? "the runtime does not store which thread executes that iteration"
			   : f->wait->n_candidates ? "the runtime does not store its holder"
			   : f->s->origin == TARGET_IMAGE_FORKED
				   ? "all threads wait for it: one of them may hold it itself, or it was held when the "
				     "process was forked"
				   : "all threads wait for it: one of them may hold it itself";
}

static bool is_mutex(enum holder_kind kind)
{
	return kind >= HOLDER_LOCK && kind <= HOLDER_MUTEX;
}

/* Whether two threads wait for the same thing, so that they share its holders. */
static bool is_same_wait(const struct snapshot *s, const struct holder_wait *a, const struct holder_wait *b)
{
	if (a->kind != b->kind || a->wait_id != b->wait_id || a->address != b->address)
		return false;
	if (a->kind == HOLDER_BARRIER)
		return s->threads[a->thread].parallel.index == s->threads[b->thread].parallel.index;
	return (is_mutex(a->kind) || a->kind == HOLDER_PTHREAD || a->kind == HOLDER_GIL || a->kind >= HOLDER_RWLOCK) &&
	       (a->wait_id || a->address);
}

static bool copy_earlier_wait(const struct snapshot *s, struct holders *h, size_t *firsts, size_t *n_firsts)
{
	struct holder_wait *wait = &h->waits[h->n - 1];

	for (size_t i = 0; i < *n_firsts; i++) {
		const struct holder_wait *first = &h->waits[firsts[i]];

		if (!is_same_wait(s, first, wait))
			continue;
		struct holder_wait copy = *first;

		copy.thread = wait->thread;
		copy.task = wait->task;
		*wait = copy;
		return true;
	}
	firsts[(*n_firsts)++] = h->n - 1;
	return false;
}

static void find_holders(struct finding *f)
{
	if (f->wait->kind == HOLDER_DEVICE)
		f->wait->is_complete = true; /* no thread ends it */
	else if (finding_awaited(f))
		;
	else if (f->wait->kind == HOLDER_BARRIER)
		find_barrier(f);
	else if (f->wait->kind == HOLDER_PTHREAD)
		finding_mutex_owner(f);
	else if (f->wait->kind == HOLDER_GIL)
		finding_gil_holder(f);
	else if (f->wait->kind >= HOLDER_RWLOCK)
		finding_outside_holder(f);
	else if (f->wait->kind == HOLDER_TASKWAIT || f->wait->kind == HOLDER_TASKGROUP)
		finding_tasks(f);
	else if (!is_mutex(f->wait->kind) || (!finding_owner(f) && !finding_by_code(f)))
		find_candidates(f);
	f->wait->holders = f->holders;
	f->wait->candidates = f->candidates;
}

static struct error *find_all_holders(struct model *m, const struct snapshot *s, struct holders *h)
{
	_cleanup_free_ size_t *firsts = calloc(s->n_threads ? s->n_threads : 1, sizeof(*firsts));
	size_t n_firsts = 0;

	h->waits = calloc(s->n_threads ? s->n_threads : 1, sizeof(*h->waits));
	if (!h->waits || !firsts)
		return &error_nomem;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct snapshot_thread *thread = &s->threads[i];

		if (get_wait_kind(thread) == HOLDER_NONE)
			continue;
		struct finding f = {.m = m, .s = s, .arena = &h->arena, .wait = &h->waits[h->n++]};
		*f.wait = (struct holder_wait){
			.thread = i,
			.task = thread->task.index,
			.kind = is_at_single(s, thread) ? HOLDER_SINGLE : get_wait_kind(thread),
			.wait_id = thread->gil					    ? thread->gil
				   : thread->mutex				    ? thread->mutex
				   : thread->outside && thread->outside->has_holder ? thread->outside->address
				   : thread->wait_id.rc == ompd_rc_ok		    ? (uint64_t)thread->wait_id.value
										    : 0,
		};
		if (is_mutex(f.wait->kind)) {
			f.wait->address = thread->lock_address;
			f.wait->is_only = thread->lock_is_only;
		}
		if (!copy_earlier_wait(s, h, firsts, &n_firsts))
			find_holders(&f);
		if (f.no_memory)
			return &error_nomem;
	}
	return NULL;
}

static struct error *find_dependences(const struct snapshot *s, struct holders *h)
{
	h->dependences = calloc(s->n_awaited_items ? s->n_awaited_items : 1, sizeof(*h->dependences));
	if (!h->dependences)
		return &error_nomem;
	for (size_t i = 0; i < s->n_awaited; i++) {
		const struct snapshot_awaited *a = &s->awaited[i];

		for (uint32_t k = 0; k < a->n && a->task != SNAPSHOT_NONE; k++) {
			uint32_t on = s->awaited_items[a->first + k].task;

			if (on != SNAPSHOT_NONE)
				h->dependences[h->n_dependences++] = (struct holder_dependence){a->task, on};
		}
	}
	return NULL;
}

struct error *holders_find(struct model *m, const struct snapshot *s, struct holders *ret)
{
	struct holders h = {0};
	struct error *err = find_all_holders(m, s, &h);

	if (!err)
		err = find_dependences(s, &h);
	if (err) {
		holders_deinit(&h);
		return err;
	}
	*ret = h;
	return NULL;
}

void holders_deinit(struct holders *h)
{
	free(h->waits);
	free(h->dependences);
	arena_deinit(&h->arena);
	memset(h, 0, sizeof(*h));
}

const struct holder_wait *holders_of(const struct holders *h, uint32_t thread)
{
	size_t first = 0, end = h->n;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (h->waits[middle].thread == thread)
			return &h->waits[middle];
		if (h->waits[middle].thread < thread)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}
