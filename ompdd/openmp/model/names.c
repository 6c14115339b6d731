/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts each region and task that a walk encounters into the snapshot, once, and names it by a handle. */
#include "openmp/model/names.h"

#include <stdlib.h>

#include "base/vector.h"
#include "openmp/model/handle/handles.h"
#include "openmp/model/model.h"
#include "openmp/plugin/ompd.h"

/* Counts the walks of this process, so that marks in handles identify their walk. */
static uint64_t last_serial;

void names_init(struct names *names, struct handles *handles, unsigned runtime, int64_t client, struct snapshot *s)
{
	*names = (struct names){
		.handles = handles,
		.runtime = runtime,
		.client = client,
		.s = s,
		.serial = ++last_serial,
	};
}

struct error *names_check(int rc, const void *object, const char *routine)
{
	if (!ompd_rc_is_valid(rc))
		return ompd_misbehaved(routine, "returned an unknown code");
	if (rc == ompd_rc_ok && !object)
		return ompd_misbehaved(routine, "returned ok without a handle");
	return NULL;
}

struct snapshot_ref names_none(int rc)
{
	return (struct snapshot_ref){.rc = rc, .index = SNAPSHOT_NONE};
}

/*
 * Names @object. *@ret refers to it if this walk has encountered it, and *@new_ret is NULL then. Otherwise *@new_ret is
 * the handle to be added.
 */
static struct error *name_object(struct names *names, enum handle_kind kind, int rc, TAKES void *object, unsigned depth,
				 const char *routine, struct handle **new_ret, struct snapshot_ref *ret)
{
	struct handle *handle = NULL;
	struct error *err = names_check(rc, object, routine);

	if (err)
		return err;
	*new_ret = NULL;
	*ret = names_none(rc == ompd_rc_ok ? ompd_rc_incomplete : rc);
	if (rc != ompd_rc_ok)
		return NULL;
	err = handles_intern(names->handles, names->runtime, names->client, names->s->epoch, kind, object, &handle);
	if (error_catch(&err, ERR_LIMIT_EXCEEDED)) {
		names->s->truncated = true;
		return NULL;
	}
	if (err)
		return err;
	if (handle->walk == names->serial)
		*ret = (struct snapshot_ref){ompd_rc_ok, handle->index, handle->number};
	else if (depth > MODEL_MAX_DEPTH)
		names->s->truncated = true;
	else
		*new_ret = handle;
	return NULL;
}

/* Marks @handle as the object at @index and returns a reference to it. */
static struct snapshot_ref mark_encountered(const struct names *names, struct handle *handle, size_t index)
{
	handle->walk = names->serial;
	handle->index = (uint32_t)index;
	return (struct snapshot_ref){ompd_rc_ok, handle->index, handle->number};
}

struct error *names_add_parallel(struct names *names, int rc, TAKES void *object, unsigned depth, const char *routine,
				 struct snapshot_ref *ret)
{
	struct snapshot *s = names->s;
	struct handle *new;
	struct error *err = name_object(names, HANDLE_PARALLEL, rc, object, depth, routine, &new, ret);

	if (err || !new)
		return err;
	if (!VECTOR_GROW(s->parallels, s->n_parallels, s->parallels_cap))
		return &error_nomem;
	s->parallels[s->n_parallels] = (struct snapshot_parallel){
		.number = new->number,
		.depth = depth,
		.object = new->object,
	};
	*ret = mark_encountered(names, new, s->n_parallels++);
	return NULL;
}

struct error *names_add_task(struct names *names, int rc, TAKES void *object, unsigned depth, const char *routine,
			     struct snapshot_ref *ret)
{
	struct snapshot *s = names->s;
	struct handle *new;
	struct error *err = name_object(names, HANDLE_TASK, rc, object, depth, routine, &new, ret);

	if (err || !new)
		return err;
	if (!VECTOR_GROW(s->tasks, s->n_tasks, s->tasks_cap))
		return &error_nomem;
	s->tasks[s->n_tasks] = (struct snapshot_task){
		.number = new->number,
		.depth = depth,
		.object = new->object,
		.thread = SNAPSHOT_NONE,
	};
	*ret = mark_encountered(names, new, s->n_tasks++);
	return NULL;
}
