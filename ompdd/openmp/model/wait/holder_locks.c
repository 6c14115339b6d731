/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds a lock's holder from the lock, the code on the stacks, or a mutex of the C library. */
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/state/executed_tasks.h"
#include "openmp/model/wait/finding.h"
#include "openmp/model/wait/outside.h"
#include "openmp/plugin/ompd.h"

static const struct snapshot_mutex *find_mutex(const struct snapshot *s, uint64_t address, int kind)
{
	for (size_t i = 0; i < s->n_mutexes; i++) {
		if (s->mutexes[i].address == address && s->mutexes[i].kind == kind)
			return &s->mutexes[i];
	}
	return NULL;
}

static const struct snapshot_mutex *get_mutex(const struct finding *f)
{
	switch ((int)f->wait->kind) {
	case HOLDER_CRITICAL:
		return find_mutex(f->s, f->wait->wait_id, ompt_mutex_critical);
	case HOLDER_ATOMIC:
		return find_mutex(f->s, f->wait->wait_id, ompt_mutex_atomic);
	case HOLDER_NEST_LOCK:
		return find_mutex(f->s, f->wait->wait_id, ompt_mutex_nest_lock);
	default:
		return find_mutex(f->s, f->wait->wait_id, ompt_mutex_lock);
	}
}

/*
 * An owner that is not a thread of the process has ended. After a fork that copied the lock, it may belong to another
 * process.
 */
static enum holder_doing get_absent_doing(const struct finding *f)
{
	return f->s->origin == TARGET_IMAGE_EXECUTED ? HOLDER_ENDED : HOLDER_ELSEWHERE;
}

bool finding_owner(struct finding *f)
{
	const struct snapshot_mutex *mutex = get_mutex(f);

	if (!mutex || mutex->rc != ompd_rc_ok)
		return false;
	f->wait->is_complete = true;
	if (mutex->state == OMPD_MUTEX_FREE)
		return true;
	if (mutex->thread != SNAPSHOT_NONE) {
		struct holder h = {
			.thread = mutex->thread,
			.task = mutex->task,
			.source = HOLDER_FROM_MEMORY,
			.call = -1,
			.evidence = "the lock names it as its holder",
		};

		finding_note_activity(&h, &f->s->threads[mutex->thread]);
		finding_add(f, &h);
		return true;
	}
	bool is_over = mutex->task == SNAPSHOT_NONE && executed_tasks_are_complete(f->s);
	bool is_absent = mutex->state == OMPD_MUTEX_ORPHANED || mutex->tid || is_over;
	f->wait->is_complete = is_absent || mutex->task != SNAPSHOT_NONE;
	if (!f->wait->is_complete)
		return false;
	finding_add(
		f,
		&(struct holder){
			.thread = SNAPSHOT_NONE,
			.tid = mutex->tid,
			.task = mutex->task,
			.source = HOLDER_FROM_MEMORY,
			.doing = is_absent ? get_absent_doing(f) : HOLDER_DOING_UNKNOWN,
			.call = -1,
			.evidence =
				is_absent && is_over && mutex->state == OMPD_MUTEX_HELD && !mutex->tid
					? "the lock names a task as its holder that no thread of this process executes"
				: is_absent ? "the lock names a thread as its holder that does not exist"
					    : "the lock names a task as its holder that no thread executes",
		});
	return true;
}

static bool is_held(const struct finding *f, const struct snapshot_held *held)
{
	const struct holder_wait *wait = f->wait;

	if (held->address)
		return (held->address == wait->wait_id || held->address == wait->address) &&
		       (held->kind == (int)wait->kind || wait->kind == HOLDER_MUTEX);
	if (wait->is_only)
		return held->kind == (int)wait->kind;
	/* The runtime's only lock of a kind has no address in the program. */
	enum construct construct = f->m ? model_lock_construct(f->m, wait->wait_id) : CONSTRUCT_UNKNOWN;
	return (held->kind == HOLDER_CRITICAL && construct == CONSTRUCT_CRITICAL) ||
	       (held->kind == HOLDER_ATOMIC && construct == CONSTRUCT_ATOMIC);
}

bool finding_by_code(struct finding *f)
{
	const struct snapshot_held *found = NULL;

	if (!f->wait->wait_id && !f->wait->address && !f->wait->is_only)
		return false;
	for (size_t i = 0; i < f->s->n_helds; i++) {
		const struct snapshot_held *held = &f->s->helds[i];

		if (!is_held(f, held))
			continue;
		if (found && found->thread != held->thread)
			return false;
		if (!found)
			found = held;
	}
	if (!found)
		return false;
	finding_add_thread(f, found->thread, HOLDER_FROM_CODE, found->evidence);
	f->wait->is_complete = true;
	return true;
}

void finding_mutex_owner(struct finding *f)
{
	const struct snapshot_thread *waiter = &f->s->threads[f->wait->thread];

	f->wait->is_complete = true;
	if (waiter->mutex_owner != SNAPSHOT_NONE)
		finding_add_thread(f, waiter->mutex_owner, HOLDER_FROM_MEMORY, "the mutex names it as its holder");
	else
		finding_add(
			f, &(struct holder){
				   .thread = SNAPSHOT_NONE,
				   .tid = waiter->mutex_tid,
				   .process = waiter->mutex_process,
				   .task = SNAPSHOT_NONE,
				   .source = HOLDER_FROM_MEMORY,
				   .doing = get_absent_doing(f),
				   .call = -1,
				   .evidence = waiter->mutex_process
						       ? "the mutex names a thread of the process that forked this one"
						       : "the mutex names a thread as its holder that does not exist"});
}

void finding_gil_holder(struct finding *f)
{
	uint32_t holder = f->s->threads[f->wait->thread].gil_holder;

	f->wait->is_complete = true;
	if (holder != SNAPSHOT_NONE)
		finding_add_thread(f, holder, HOLDER_FROM_MEMORY, "the GIL names it as its holder");
}

void finding_outside_holder(struct finding *f)
{
	const struct outside_wait *outside = f->s->threads[f->wait->thread].outside;

	f->wait->is_complete = true;
	finding_add_thread(f, outside->holder, HOLDER_FROM_MEMORY, outside->evidence);
}
