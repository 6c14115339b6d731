/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks the library for the owner of each lock that a thread of the snapshot waits for. */
#include "openmp/model/state/mutexes.h"

#include <stdlib.h>

#include "openmp/model/handle_thread.h"
#include "openmp/model/model.h"
#include "openmp/model/snapshot.h"
#include "openmp/model/state/infer.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "target/target.h"

static const char routine[] = "ompd_get_mutex_owner";

struct request {
	struct model *m;
	struct plugin *p;
	struct snapshot *s;
};

static struct error *check_owner(int rc, ompd_word_t state, const void *thread, const void *task)
{
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc == ompd_rc_ok && (state < OMPD_MUTEX_FREE || state >= OMPD_MUTEX_STATES))
		return ompd_misbehaved(routine, "returned an unknown state");
	if (rc == ompd_rc_ok && (state == OMPD_MUTEX_HELD) != (thread || task))
		return ompd_misbehaved(routine, "did not return the holder of a held lock");
	return NULL;
}

static void find_thread(struct request *a, ompd_thread_handle_t *thread, struct snapshot_mutex *mutex)
{
	const struct target_thread *found = handle_thread(a->m, thread, &mutex->tid);

	if (found)
		mutex->thread = snapshot_find_thread(a->s, found->tid);
}

static void find_task(struct request *a, ompd_task_handle_t *task, struct snapshot_mutex *mutex)
{
	for (uint32_t i = 0; i < a->s->n_tasks; i++) {
		int order = 1;

		if (!a->s->tasks[i].object ||
		    plugin_call(a->p, task_handle_compare, task, a->s->tasks[i].object, &order) != ompd_rc_ok || order)
			continue;
		mutex->task = i;
		if (mutex->thread == SNAPSHOT_NONE)
			mutex->thread = a->s->tasks[i].thread;
		return;
	}
}

static struct error *request_owner(struct request *a, uint64_t address, int kind)
{
	ompd_thread_handle_t *thread = NULL;
	ompd_task_handle_t *task = NULL;
	ompd_word_t state = 0;

	if (a->s->n_mutexes == MUTEXES_MAX)
		return NULL;
	/* Allocate on first use: threads rarely wait for locks. */
	if (!a->s->mutexes)
		a->s->mutexes = calloc(MUTEXES_MAX, sizeof(*a->s->mutexes));
	if (!a->s->mutexes)
		return &error_nomem;
	for (size_t i = 0; i < a->s->n_mutexes; i++) {
		if (a->s->mutexes[i].address == address && a->s->mutexes[i].kind == kind)
			return NULL;
	}
	int rc = plugin_call(a->p, get_mutex_owner, model_aspace(a->m), address, kind, &state, &thread, &task);
	struct error *err = check_owner(rc, state, thread, task);
	if (err)
		return err;
	struct snapshot_mutex *mutex = &a->s->mutexes[a->s->n_mutexes++];
	*mutex = (struct snapshot_mutex){
		.address = address,
		.kind = kind,
		.rc = rc,
		.state = (int)state,
		.thread = SNAPSHOT_NONE,
		.task = SNAPSHOT_NONE,
	};
	if (rc != ompd_rc_ok)
		return NULL;
	if (thread) {
		find_thread(a, thread, mutex);
		plugin_call(a->p, rel_thread_handle, thread);
	}
	if (task) {
		find_task(a, task, mutex);
		plugin_call(a->p, rel_task_handle, task);
	}
	return NULL;
}

/* Asks for both lock kinds: it may not be known yet whether the lock is nestable. The reader of the answer knows. */
static struct error *request_both_kinds(struct request *a, uint64_t address)
{
	struct error *err = request_owner(a, address, ompt_mutex_lock);

	return err ? err : request_owner(a, address, ompt_mutex_nest_lock);
}

static struct error *request_owner_for(struct request *a, const struct snapshot_thread *thread)
{
	uint64_t word;

	if (!thread->openmp)
		return NULL;
	if (thread->state.rc != ompd_rc_ok)
		return infer_sleeps_on(a->m, &thread->activity, &word) ? request_both_kinds(a, word) : NULL;
	if (thread->wait_id.rc != ompd_rc_ok)
		return NULL;
	word = (uint64_t)thread->wait_id.value;
	switch ((int)thread->state.value) {
	case ompt_state_wait_lock:
	case ompt_state_wait_mutex:
		return request_both_kinds(a, word);
	case ompt_state_wait_critical:
		return request_owner(a, word, ompt_mutex_critical);
	case ompt_state_wait_atomic:
		return request_owner(a, word, ompt_mutex_atomic);
	default:
		return NULL;
	}
}

struct error *mutexes_ask(struct model *m, struct plugin *p, struct snapshot *s)
{
	struct request a = {m, p, s};
	struct error *err = NULL;

	if (!plugin_routines(p)->get_mutex_owner)
		return NULL;
	for (size_t i = 0; i < s->n_threads && !err; i++)
		err = request_owner_for(&a, &s->threads[i]);
	return err;
}
