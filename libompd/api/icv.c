/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for ICVs and tool data (5.2, 20.5.11). */
#include "callbacks.h"
#include "handles.h"
#include "icv.h"
#include "strbuf.h"

ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current, ompd_icv_id_t *next_id,
			      const char **next_icv_name, ompd_scope_t *next_scope, int *more)
{
	REQUIRE_CALLBACKS();
	REQUIRE_HANDLE(handle, HANDLE_ADDRESS_SPACE);
	if (!next_id || !next_icv_name || !next_scope || !more || current >= handle->base.process->backend->last_icv)
		return ompd_rc_bad_input;
	const struct icv_info *info = icv_info(current + 1);

	RC_TRY(cb_strdup(info->name, next_icv_name));
	*next_id = current + 1;
	*next_scope = info->scope;
	*more = *next_id < handle->base.process->backend->last_icv;
	return ompd_rc_ok;
}

/* Map @scope to its kind of handle. Returns false for a scope without handles in 5.2. */
static bool scope_handle(ompd_scope_t scope, enum handle_kind *ret)
{
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		*ret = HANDLE_ADDRESS_SPACE;
		return true;
	case ompd_scope_thread:
		*ret = HANDLE_THREAD;
		return true;
	case ompd_scope_parallel:
		*ret = HANDLE_PARALLEL;
		return true;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		*ret = HANDLE_TASK;
		return true;
	case ompd_scope_teams:
	case ompd_scope_target:
	default:
		return false;
	}
}

/* The reference of a handle: one of the three, or all NULL for an address space. */
struct scope_refs {
	const struct process *process;
	const struct thread_ref *thread;
	const struct region_ref *region;
	const struct task_ref *task;
};

static ompd_rc_t get_refs(void *memory, ompd_scope_t scope, struct scope_refs *ret)
{
	const struct handle *handle = memory;
	enum handle_kind kind;

	if (!handle_is_live(handle))
		return ompd_rc_stale_handle;
	if (!scope_handle(scope, &kind) || !handle_is(handle, kind))
		return ompd_rc_bad_input;
	*ret = (struct scope_refs){.process = handle->process};
	if (kind == HANDLE_THREAD)
		ret->thread = &((const ompd_thread_handle_t *)memory)->ref;
	else if (kind == HANDLE_PARALLEL)
		ret->region = &((const ompd_parallel_handle_t *)memory)->ref;
	else if (kind == HANDLE_TASK)
		ret->task = &((const ompd_task_handle_t *)memory)->ref;
	return ompd_rc_ok;
}

/* Check that the task is implicit, as its scope says. */
static ompd_rc_t check_implicit(const struct scope_refs *refs)
{
	bool implicit;

	RC_TRY(refs->process->backend->task_is_implicit(refs->process, refs->task, &implicit));
	return implicit ? ompd_rc_ok : ompd_rc_incompatible;
}

static ompd_rc_t icv_get(void *memory, ompd_scope_t scope, ompd_icv_id_t id, struct icv_value *ret)
{
	const struct icv_info *info = icv_info(id);
	struct scope_refs refs;

	if (!info)
		return ompd_rc_bad_input;
	RC_TRY(get_refs(memory, scope, &refs));
	if (id > refs.process->backend->last_icv)
		return ompd_rc_bad_input;
	if (info->scope != scope)
		return ompd_rc_incompatible;
	return refs.process->backend->icv(refs.process, (enum icv_kind)id, refs.thread, refs.region, refs.task, ret);
}

ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id, ompd_word_t *icv_value)
{
	struct icv_value value = {0};

	REQUIRE_CALLBACKS();
	if (!icv_value)
		return ompd_rc_bad_input;
	RC_TRY(icv_get(handle, scope, icv_id, &value));
	/* The ICV is not an integer (20.5.11.2): the tool must call ompd_get_icv_string_from_scope(). */
	if (!value.has_number)
		return ompd_rc_incompatible;
	*icv_value = value.number;
	return value.incomplete ? ompd_rc_incomplete : ompd_rc_ok;
}

ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	struct strbuf text = {0};
	struct icv_value value = {.text = &text};

	REQUIRE_CALLBACKS();
	if (!icv_string)
		return ompd_rc_bad_input;
	ompd_rc_t rc = icv_get(handle, scope, icv_id, &value);

	if (rc == ompd_rc_ok && value.no_text)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok && !text.data && value.has_number)
		strbuf_printf(&text, "%lld", (long long)value.number);
	if (rc == ompd_rc_ok)
		rc = strbuf_take(&text, icv_string);
	strbuf_deinit(&text);
	return rc;
}

ompd_rc_t ompd_get_tool_data(void *memory, ompd_scope_t scope, ompd_word_t *value, ompd_address_t *ptr)
{
	struct scope_refs refs;
	uint64_t found;

	REQUIRE_CALLBACKS();
	if (!value || !ptr)
		return ompd_rc_bad_input;
	RC_TRY(get_refs(memory, scope, &refs));
	if (scope == ompd_scope_implicit_task)
		RC_TRY(check_implicit(&refs));
	RC_TRY(refs.process->backend->tool_data(refs.process, refs.thread, refs.region, refs.task, &found));
	/* The data is a union of a value and a pointer: return both. */
	*value = (ompd_word_t)found;
	*ptr = (ompd_address_t){.segment = OMPD_SEGMENT_UNSPECIFIED, .address = found};
	return ompd_rc_ok;
}
