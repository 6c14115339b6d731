/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the explicit task of each thread, and repeats the previous sample for threads that slept. */
#include "openmp/model/walk/sample_walk.h"

#include <stdlib.h>

#include "base/vector.h"
#include "openmp/model/model.h"
#include "openmp/model/names.h"
#include "openmp/model/task_function.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

void sample_walk_begin(struct sample_walk *b, struct icv_table *table, struct snapshot *s)
{
	static const struct {
		const char *name;
		int64_t value;
	} variables[] = {{"explicit-task-var", 1}, {"implicit-task-var", 0}};

	b->explicit_task = NULL;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && !b->explicit_task; i++) {
		b->explicit_task = icv_find(table, variables[i].name);
		b->explicit_value = variables[i].value;
		if (b->explicit_task && b->explicit_task->scope != ompd_scope_task)
			b->explicit_task = NULL;
	}
	s->parallel_icvs.n = 0;
}

static struct error *add_task(struct snapshot *s, const struct snapshot_word *function, struct snapshot_thread *thread)
{
	if (!VECTOR_GROW(s->tasks, s->n_tasks, s->tasks_cap))
		return &error_nomem;
	s->tasks[s->n_tasks] = (struct snapshot_task){
		.kind = TASK_EXPLICIT,
		.thread = (uint32_t)(thread - s->threads),
		.parallel = thread->parallel,
		.generating = names_none(ompd_rc_unavailable),
		.scheduling = names_none(ompd_rc_unavailable),
		.function = *function,
	};
	thread->task = (struct snapshot_ref){.rc = ompd_rc_ok, .index = (uint32_t)s->n_tasks++};
	return NULL;
}

static bool is_settled(const struct sample_walk *b, const struct snapshot_word *state)
{
	if (state->rc != ompd_rc_ok)
		return false;
	switch (state->value) {
	case ompt_state_work_serial:
	case ompt_state_work_parallel:
	case ompt_state_work_reduction:
	case ompt_state_wait_barrier_explicit:
	case ompt_state_wait_barrier_implicit_workshare:
	case ompt_state_wait_taskwait:
	case ompt_state_wait_taskgroup:
	case ompt_state_wait_mutex:
	case ompt_state_wait_lock:
	case ompt_state_wait_critical:
	case ompt_state_wait_atomic:
	case ompt_state_wait_ordered:
		return true;
	case ompt_state_wait_barrier_implicit_parallel:
		return b->ends_with_region;
	default:
		return false;
	}
}

bool sample_walk_repeat(const struct sample_walk_known *known, struct snapshot *s, struct snapshot_thread *thread,
			struct error **err_ret)
{
	size_t i = 0;

	while (known->parallel_rc == ompd_rc_ok && i < s->n_parallels && s->parallels[i].number != known->parallel)
		i++;
	if (known->parallel_rc == ompd_rc_ok && i == s->n_parallels)
		return false;
	thread->openmp = true;
	thread->state = known->state;
	thread->wait_id = known->wait_id;
	thread->parallel = names_none(known->parallel_rc);
	if (known->parallel_rc == ompd_rc_ok)
		thread->parallel = (struct snapshot_ref){ompd_rc_ok, (uint32_t)i, known->parallel};
	thread->thread_num = known->thread_num;
	thread->task = names_none(ompd_rc_unavailable);
	*err_ret = known->is_explicit ? add_task(s, &known->function, thread) : NULL;
	return true;
}

bool sample_walk_is_same(const struct sample_walk_known *known, const struct snapshot_thread *thread)
{
	return known->has_all && thread->state.rc == ompd_rc_ok && known->state.rc == ompd_rc_ok &&
	       thread->state.value == known->state.value && thread->state.value != ompt_state_overhead;
}

void *sample_walk_object(struct sample_walk_known *known, struct model *m)
{
	if (known->object && known->generation != model_generation(m))
		known->object = NULL; /* the handle ended with its library */
	return known->object;
}

bool sample_walk_keep_object(struct sample_walk_known *known, struct model *m, void *object,
			     const struct snapshot_thread *thread)
{
	/* A stale handle no longer belongs to a thread. */
	bool keep = thread->state.rc != ompd_rc_stale_handle && thread->parallel.rc != ompd_rc_stale_handle;

	known->object = keep ? object : NULL;
	known->generation = model_generation(m);
	return keep;
}

void sample_walk_forget(struct sample_walk_known *known, struct model *m)
{
	const struct error *why;
	struct plugin *p = model_plugin(m, &why);

	if (p && sample_walk_object(known, m))
		plugin_call(p, rel_thread_handle, known->object);
	*known = (struct sample_walk_known){0};
}

static struct error *read_task(struct sample_walk *b, struct plugin *p, struct snapshot *s,
			       ompd_thread_handle_t *object, struct sample_walk_known *known)
{
	ompd_task_handle_t *task = NULL;
	struct snapshot_word is_explicit;
	int rc = plugin_call(p, get_curr_task_handle, object, &task);
	struct error *err = names_check(rc, task, "ompd_get_curr_task_handle");

	known->has_task = true;
	known->is_explicit = false;
	if (err || rc != ompd_rc_ok)
		return err;
	err = snapshot_icvs_read_field(s, p, task, b->explicit_task, &is_explicit);
	known->is_explicit = !err && is_explicit.rc == ompd_rc_ok && is_explicit.value == b->explicit_value;
	if (known->is_explicit)
		err = task_function_read(p, task, &known->function);
	plugin_call(p, rel_task_handle, task);
	return err;
}

struct error *sample_walk_thread(struct sample_walk *b, struct plugin *p, struct snapshot *s,
				 const struct snapshot_fields *fields, ompd_thread_handle_t *object,
				 struct snapshot_thread *thread)
{
	struct sample_walk_known fresh = {0};
	bool slept = false;
	struct sample_walk_known *known = b->known(b->arg, thread, &slept);
	struct error *err = NULL;

	if (!known)
		known = &fresh;
	/* A thread's number stays the same throughout a region, and its task as long as it sleeps. */
	if (!known->is_valid || thread->parallel.rc != ompd_rc_ok || known->parallel != thread->parallel.number) {
		known->is_valid = known->has_task = false;
		known->parallel = thread->parallel.number;
		err = snapshot_icvs_read_field(s, p, object, fields->thread_num, &known->thread_num);
	}
	if (!err && (!slept || !known->has_task))
		err = read_task(b, p, s, object, known);
	known->has_all = !err;
	if (err)
		return err;
	known->parallel_rc = thread->parallel.rc;
	known->is_valid = thread->parallel.rc == ompd_rc_ok;
	known->state = thread->state;
	known->wait_id = thread->wait_id;
	known->is_settled = known->is_valid && is_settled(b, &thread->state);
	thread->thread_num = known->thread_num;
	thread->task = names_none(ompd_rc_unavailable);
	return known->is_explicit ? add_task(s, &known->function, thread) : NULL;
}
