/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a brief walk asks of tasks. */
#include "openmp/model/brief.h"

#include <stdlib.h>

#include "openmp/model/names.h"
#include "openmp/model/snapshot_icvs.h"
#include "openmp/plugin/ompd.h"
#include "openmp/plugin/plugin.h"

void brief_begin(struct brief *b, struct icv_table *table, struct snapshot *s)
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

static bool grow(struct snapshot *s)
{
	if (s->n_tasks < s->tasks_cap)
		return true;
	size_t cap = s->tasks_cap ? s->tasks_cap * 2 : 16;
	struct snapshot_task *tasks = realloc(s->tasks, cap * sizeof(*tasks));

	if (!tasks)
		return false;
	s->tasks = tasks;
	s->tasks_cap = cap;
	return true;
}

static struct error *add(struct plugin *p, struct snapshot *s, ompd_task_handle_t *task, struct snapshot_thread *thread)
{
	ompd_address_t function = {0};
	int rc = plugin_call(p, get_task_function, task, &function);

	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved("ompd_get_task_function", "returned no code of OMPD");
	if (rc == ompd_rc_ok && !function.address)
		rc = ompd_rc_unavailable;
	if (!grow(s))
		return &error_nomem;
	s->tasks[s->n_tasks] = (struct snapshot_task){
		.kind = TASK_EXPLICIT,
		.thread = (uint32_t)(thread - s->threads),
		.parallel = thread->parallel,
		.generating = names_none(ompd_rc_unavailable),
		.scheduling = names_none(ompd_rc_unavailable),
		.function = {rc, (int64_t)function.address},
	};
	thread->task = (struct snapshot_ref){.rc = ompd_rc_ok, .index = (uint32_t)s->n_tasks++};
	return NULL;
}

struct error *brief_task(struct brief *b, struct plugin *p, struct snapshot *s, int rc, ompd_task_handle_t *task,
			 struct snapshot_thread *thread)
{
	struct snapshot_word is_explicit;
	struct error *err = names_check(rc, task, "ompd_get_curr_task_handle");

	thread->task = names_none(rc == ompd_rc_ok ? ompd_rc_unavailable : rc);
	if (err || rc != ompd_rc_ok)
		return err;
	err = snapshot_icvs_read_field(s, p, task, b->explicit_task, &is_explicit);
	if (!err && is_explicit.rc == ompd_rc_ok && is_explicit.value == b->explicit_value)
		err = add(p, s, task, thread);
	plugin_call(p, rel_task_handle, task);
	return err;
}
