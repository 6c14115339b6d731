/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the variables of a snapshot's objects. For openmp/walk. */
#include "openmp/model/snapshot_icvs.h"

#include <string.h>

#include "openmp/plugin/ompd.h"

static void add_definition(struct snapshot_icv_set *set, struct icv_def *def)
{
	set->defs[set->n++] = def;
}

void snapshot_icvs_sort(struct snapshot *s, struct icv_table *table, struct snapshot_fields *ret)
{
	ret->thread_num = icv_find(table, "thread-num-var");
	ret->levels = icv_find(table, "levels-var");
	ret->active_levels = icv_find(table, "active-levels-var");
	ret->team_size = icv_find(table, "team-size-var");
	for (size_t i = 0; i < table->n; i++) {
		struct icv_def *def = &table->defs[i];

		if (def->is_alias)
			continue;
		switch (def->scope) {
		case ompd_scope_global:
		case ompd_scope_address_space:
			add_definition(&s->process_icvs, def);
			break;
		case ompd_scope_thread:
			if (def != ret->thread_num)
				add_definition(&s->thread_icvs, def);
			break;
		case ompd_scope_parallel:
			if (def != ret->levels && def != ret->active_levels && def != ret->team_size)
				add_definition(&s->parallel_icvs, def);
			break;
		case ompd_scope_task:
			add_definition(&s->task_icvs, def);
			break;
		case ompd_scope_implicit_task: /* below */
		case ompd_scope_teams:
		case ompd_scope_target:
		default:
			break;
		}
	}
	for (size_t i = 0; i < table->n; i++)
		if (!table->defs[i].is_alias && table->defs[i].scope == ompd_scope_implicit_task)
			add_definition(&s->task_icvs, &table->defs[i]);
	/* A field comes only from its own kind of object. */
	if (ret->thread_num && ret->thread_num->scope != ompd_scope_thread)
		ret->thread_num = NULL;
	if (ret->levels && ret->levels->scope != ompd_scope_parallel)
		ret->levels = NULL;
	if (ret->active_levels && ret->active_levels->scope != ompd_scope_parallel)
		ret->active_levels = NULL;
	if (ret->team_size && ret->team_size->scope != ompd_scope_parallel)
		ret->team_size = NULL;
}

void snapshot_icvs_keep_kinds(struct snapshot *s, bool with_device)
{
	size_t n = 0;

	s->process_icvs.n = s->thread_icvs.n = s->parallel_icvs.n = 0;
	for (size_t i = 0; i < s->task_icvs.n; i++) {
		const char *name = s->task_icvs.defs[i]->name;

		if (!strcmp(name, "explicit-task-var") || !strcmp(name, "implicit-task-var") ||
		    (with_device && !strcmp(name, "default-device-var")))
			s->task_icvs.defs[n++] = s->task_icvs.defs[i];
	}
	s->task_icvs.n = n;
}

struct error *snapshot_icvs_read_field(struct snapshot *s, struct plugin *p, void *object, struct icv_def *def,
				       struct snapshot_word *ret)
{
	struct icv_value value;
	struct error *err;

	*ret = (struct snapshot_word){.rc = ompd_rc_unsupported};
	if (!def)
		return NULL;
	err = icv_read(p, object, def, &s->arena, &value);
	if (err)
		return err;
	ret->rc = value.rc;
	if (value.rc == ompd_rc_ok && !value.has_number)
		ret->rc = ompd_rc_incompatible;
	if (ret->rc == ompd_rc_ok && value.number < 0)
		return ompd_misbehaved("ompd_get_icv_from_scope", "returned a negative size or level");
	ret->value = value.number;
	return NULL;
}

struct error *snapshot_icvs_read(struct snapshot *s, struct plugin *p, void *object, const struct snapshot_icv_set *set,
				 struct icv_value **ret)
{
	struct icv_value *values;
	struct error *err;

	if (set->n == 0)
		return NULL;
	values = arena_alloc(&s->arena, set->n * sizeof(*values));
	if (!values)
		return &error_nomem;
	for (size_t i = 0; i < set->n; i++) {
		err = icv_read(p, object, set->defs[i], &s->arena, &values[i]);
		if (err)
			return err;
	}
	*ret = values;
	return NULL;
}

int snapshot_icvs_task_flag(const struct snapshot *s, const struct snapshot_task *task, const char *var)
{
	const struct snapshot_icv_set *set = &s->task_icvs;

	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->defs[i]->name, var) == 0 && task->icvs[i].rc == ompd_rc_ok && task->icvs[i].has_number)
			return task->icvs[i].number != 0;
	return -1;
}

/* Marks @task as explicit if the variables read so far say so. */
static void mark_explicit(const struct snapshot *s, struct snapshot_task *task)
{
	int is_explicit = snapshot_icvs_task_flag(s, task, "explicit-task-var");
	int is_implicit = snapshot_icvs_task_flag(s, task, "implicit-task-var");

	if (is_explicit == 1 || is_implicit == 0)
		task->kind = TASK_EXPLICIT;
}

struct error *snapshot_icvs_read_task(struct snapshot *s, struct plugin *p, struct snapshot_task *task)
{
	const struct snapshot_icv_set *set = &s->task_icvs;
	struct error *err;

	task->kind_rc = ompd_rc_unsupported;
	if (set->n == 0)
		return NULL;
	task->icvs = arena_alloc(&s->arena, set->n * sizeof(*task->icvs));
	if (!task->icvs)
		return &error_nomem;
	/* ICVs of implicit tasks come last in the set: by then the kind of this task is known. */
	for (size_t i = 0; i < set->n; i++) {
		if (set->defs[i]->scope == ompd_scope_implicit_task) {
			if (task->kind == TASK_UNKNOWN)
				mark_explicit(s, task);
			if (task->kind == TASK_EXPLICIT) {
				task->icvs[i].rc = SNAPSHOT_ICV_NOT_HERE;
				continue;
			}
		}
		err = icv_read(p, task->object, set->defs[i], &s->arena, &task->icvs[i]);
		if (err)
			return err;
	}
	/* Set the kind before the walk continues: it searches for the implicit task below an explicit one. */
	mark_explicit(s, task);
	return NULL;
}
