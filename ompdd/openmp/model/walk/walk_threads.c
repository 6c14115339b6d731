/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of a walk that reads threads: state, wait, and the names of the region and the task. */
#include <stdlib.h>
#include <string.h>

#include "openmp/model/model.h"
#include "openmp/model/state/awaited.h"
#include "openmp/model/state/infer.h"
#include "openmp/model/walk/host_target.h"
#include "openmp/model/walk/location.h"
#include "openmp/model/walk/walk_pass.h"
#include "openmp/plugin/callbacks.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"
#include "target/arch/registers.h"
#include "target/target.h"

static struct error *read_state(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_wait_id_t wait_id = 0;
	ompd_word_t state = 0;
	int rc = plugin_call(w->p, get_state, object, &state, &wait_id);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_state", "returned an unknown code");
	thread->state = (struct snapshot_word){rc, state};
	thread->wait_id = (struct snapshot_word){.rc = rc == ompd_rc_ok ? ompd_rc_unavailable : rc};
	if (rc == ompd_rc_ok && wait_id)
		thread->wait_id = (struct snapshot_word){ompd_rc_ok, (int64_t)wait_id};
	return NULL;
}

/* If memory does not show the state, the futex word may. The state is inferred: its proof comes from the kernel. */
static struct error *read_state_asleep(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_address_t word = {0};
	ompd_word_t state = 0;

	if (thread->state.rc == ompd_rc_ok || !plugin_routines(w->p)->get_state_asleep ||
	    !infer_sleeps_on(w->m, &thread->activity, &word.address))
		return NULL;
	int rc = plugin_call(w->p, get_state_asleep, object, &word, &state);
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_state_asleep", "returned an unknown code");
	if (rc == ompd_rc_ok) {
		thread->state = (struct snapshot_word){rc, state};
		thread->state_is_inferred = true;
	}
	return NULL;
}

static struct error *read_progress(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	uint64_t progress = 0;
	int rc = ompd_rc_unsupported;

	if (plugin_routines(w->p)->get_thread_progress)
		rc = plugin_call(w->p, get_thread_progress, object, &progress);
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_thread_progress", "returned an unknown code");
	thread->progress = (struct snapshot_word){rc, (int64_t)progress};
	return NULL;
}

static struct error *request_awaited(struct walk *w, ompd_thread_handle_t *object, const struct snapshot_thread *thread)
{
	uint32_t index = (uint32_t)(thread - w->s->threads);
	struct target_registers registers;
	struct awaited_place place = {.pc = thread->activity.pc, .registers = &registers};

	if (thread->state.rc != ompd_rc_ok && (w->s->parts & SNAPSHOT_HOLDERS) &&
	    plugin_routines(w->p)->get_awaited_at && infer_spins(w->m, &thread->activity, &place.function) &&
	    target_registers(w->t, thread->tid, &registers))
		return awaited_ask_spinning(w->m, &w->names, object, index, &place);
	return awaited_ask_thread(w->m, &w->names, object, index);
}

/* Reads everything requested about an OpenMP thread. The caller releases @object. */
static struct error *read_thread(struct walk *w, ompd_thread_handle_t *object, struct snapshot_thread *thread)
{
	ompd_parallel_handle_t *parallel = NULL;
	ompd_task_handle_t *task = NULL;
	struct error *err;
	int rc;

	if (w->s->parts & SNAPSHOT_STATES) {
		err = read_state(w, object, thread);
		if (err)
			return err;
		if (!(w->s->parts & SNAPSHOT_SAMPLE))
			err = walk_read_icvs(w, object, &w->s->thread_icvs, &thread->icvs);
		if (err)
			return err;
		if (w->sample)
			w->sample->activity(w->sample->arg, thread, &thread->activity);
		else if (w->infers || (w->s->parts & SNAPSHOT_HOLDERS))
			target_activity(w->t, thread->tid, &thread->activity);
		err = read_state_asleep(w, object, thread);
		if (!err && !w->sample && thread->state.value != ompt_state_idle)
			err = location_ask(w->p, w->s, (struct location_of){.thread = object}, &thread->location);
		if (!err && (w->s->parts & (SNAPSHOT_HOLDERS | SNAPSHOT_DEPENDENCES)))
			err = request_awaited(w, object, thread);
		if (!err && (w->s->parts & SNAPSHOT_HOLDERS))
			err = read_progress(w, object, thread);
		if (err)
			return err;
		if (w->known && sample_walk_is_same(w->known, thread) &&
		    sample_walk_repeat(w->known, w->s, thread, &err))
			return err;
	}
	rc = plugin_call(w->p, get_curr_parallel_handle, object, &parallel);
	err = names_add_parallel(&w->names, rc, parallel, 0, "ompd_get_curr_parallel_handle", &thread->parallel);
	if (!err && w->sample)
		return sample_walk_thread(w->sample, w->p, w->s, &w->fields, object, thread);
	if (!err)
		err = walk_read_field(w, object, w->fields.thread_num, &thread->thread_num);
	if (err)
		return err;
	rc = plugin_call(w->p, get_curr_task_handle, object, &task);
	return names_add_task(&w->names, rc, task, 0, "ompd_get_curr_task_handle", &thread->task);
}

static int find_thread(struct walk *w, const struct snapshot_thread *thread, ompd_thread_handle_t **ret)
{
	int rc = ompd_rc_unsupported;

	if (thread->pthread) {
		uint64_t pthread = thread->pthread;

		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m), OMPD_THREAD_ID_PTHREAD, sizeof(pthread),
				 &pthread, ret);
	}
	if (rc == ompd_rc_unsupported || rc == ompd_rc_bad_input) {
		int32_t tid = thread->tid;

		*ret = NULL;
		rc = plugin_call(w->p, get_thread_handle, model_aspace(w->m), OMPD_THREAD_ID_LWP, sizeof(tid), &tid,
				 ret);
	}
	return rc;
}

static struct error *walk_thread(struct walk *w, struct snapshot_thread *thread)
{
	bool slept = false;
	struct sample_walk_known *known = w->sample ? w->sample->known(w->sample->arg, thread, &slept) : NULL;
	struct error *err = NULL;

	if (known && slept && known->is_settled && sample_walk_repeat(known, w->s, thread, &err)) {
		if (w->infers)
			w->sample->activity(w->sample->arg, thread, &thread->activity);
		w->s->n_openmp++;
		return err;
	}
	ompd_thread_handle_t *object = known ? sample_walk_object(known, w->m) : NULL;
	int rc = object ? ompd_rc_ok : find_thread(w, thread, &object);
	err = names_check(rc, object, "ompd_get_thread_handle");

	if (err)
		return err;
	thread->openmp = rc == ompd_rc_ok;
	thread->openmp_rc = rc;
	thread->parallel = thread->task = names_none(rc);
	if (!thread->openmp)
		return NULL;
	w->s->n_openmp++;
	w->known = slept ? known : NULL;
	err = read_thread(w, object, thread);
	if (!known || !sample_walk_keep_object(known, w->m, object, thread))
		plugin_call(w->p, rel_thread_handle, object);
	return err;
}

/* No thread has a record. Walk the initial thread if it needs none. */
static struct error *walk_initial_thread(struct walk *w)
{
	for (size_t i = 0; i < w->s->n_threads; i++) {
		struct snapshot_thread *thread = &w->s->threads[i];

		if (thread->tid != target_pid(w->t))
			continue;
		struct error *err = host_targets_report_initial(w, thread);
		return err ? err : walk_thread(w, thread);
	}
	return NULL;
}

struct error *walk_threads(struct walk *w)
{
	const struct target_thread *threads;
	struct error *err;
	size_t n;

	err = target_threads(w->t, &threads, &n);
	if (err)
		return err;
	if (n > MODEL_MAX_THREADS) {
		n = MODEL_MAX_THREADS;
		w->s->truncated = true;
	}
	w->s->threads = calloc(n ? n : 1, sizeof(*w->s->threads));
	if (!w->s->threads)
		return &error_nomem;
	for (size_t i = 0; i < n; i++) {
		struct snapshot_thread *thread = &w->s->threads[w->s->n_threads++];

		thread->tid = threads[i].tid;
		thread->pthread = threads[i].pthread;
		memcpy(thread->comm, threads[i].comm, sizeof(thread->comm));
		if (target_mode(w->t) == TARGET_OBSERVE)
			thread->kernel_state = threads[i].state;
		err = walk_thread(w, thread);
		if (err || callbacks_have_error())
			return err;
	}
	return w->s->n_openmp ? NULL : walk_initial_thread(w);
}
