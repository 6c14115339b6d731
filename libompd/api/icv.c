/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for ICVs and tool data (5.2, 20.5.10). */
#include "handles.h"
#include "icv.h"
#include "strbuf.h"

ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current, ompd_icv_id_t *next_id,
			      const char **next_icv_name, ompd_scope_t *next_scope, int *more)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!next_id || !next_icv_name || !next_scope || !more || current >= handle->base.process->backend->last_icv)
		return ompd_rc_bad_input;
	const struct icv_info *info = icv_info(current + 1);

	RC_TRY(cb_strdup(info->name, next_icv_name));
	*next_id = current + 1;
	*next_scope = info->scope;
	*more = *next_id < handle->base.process->backend->last_icv;
	return ompd_rc_ok;
}

/* Return the kind of handle for @scope, or -1 for a scope without handles in 5.2. */
static int get_scope_kind(ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		return HANDLE_ADDRESS_SPACE;
	case ompd_scope_thread:
		return HANDLE_THREAD;
	case ompd_scope_parallel:
		return HANDLE_PARALLEL;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		return HANDLE_TASK;
	case ompd_scope_teams:
	case ompd_scope_target:
	default:
		return -1;
	}
}

/*
 * Check that the live @handle has the kind of @scope. Returns bad_input for an unknown scope, and
 * incompatible for a handle of another scope (20.5.10.2).
 */
static ompd_rc_t check_scope(const struct handle *handle, ompd_scope_t scope)
{
	if (!handle_is_live(handle))
		return ompd_rc_stale_handle;
	int kind = get_scope_kind(scope);

	if (kind < 0)
		return ompd_rc_bad_input;
	return (int)handle->kind == kind ? ompd_rc_ok : ompd_rc_incompatible;
}

static ompd_rc_t read_icv(const struct handle *handle, ompd_scope_t scope, ompd_icv_id_t id, struct icv_value *ret)
{
	const struct icv_info *info = icv_info(id);

	if (!info)
		return ompd_rc_bad_input;
	RC_TRY(check_scope(handle, scope));
	if (id > handle->process->backend->last_icv)
		return ompd_rc_bad_input;
	if (info->scope != scope)
		return ompd_rc_incompatible;
	const struct subject subject = handle_subject(handle);

	return icv_read_value(handle->process, (enum icv_kind)id, &subject, ret);
}

ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id, ompd_word_t *icv_value)
{
	struct icv_value value = {0};

	REQUIRE_CALLBACKS();
	if (!icv_value)
		return ompd_rc_bad_input;
	RC_TRY(read_icv(handle, scope, icv_id, &value));
	/* The ICV is not an integer (20.5.10.2): the tool must call ompd_get_icv_string_from_scope(). */
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
	ompd_rc_t rc = read_icv(handle, scope, icv_id, &value);

	if (rc == ompd_rc_ok && value.no_text)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok && !text.data && value.has_number)
		strbuf_printf(&text, "%lld", (long long)value.number);
	return strbuf_return(&text, rc, icv_string);
}

ompd_rc_t ompd_get_tool_data(void *memory, ompd_scope_t scope, ompd_word_t *value, ompd_address_t *ptr)
{
	const struct handle *handle = memory;
	bool is_implicit;
	uint64_t found;

	REQUIRE_CALLBACKS();
	if (!value || !ptr)
		return ompd_rc_bad_input;
	RC_TRY(check_scope(handle, scope));
	const struct backend *backend = handle->process->backend;
	const struct subject subject = handle_subject(handle);

	if (scope == ompd_scope_implicit_task) {
		RC_TRY(backend->task_is_implicit(handle->process, subject.task, &is_implicit));
		if (!is_implicit)
			return ompd_rc_incompatible;
	}
	if (!backend->tool_data) /* no OMPT (5.2, 20.5.10.4) */
		return ompd_rc_unsupported;
	RC_TRY(backend->tool_data(handle->process, &subject, &found));
	/* The data is a union of a value and a pointer: return both. */
	*value = (ompd_word_t)found;
	*ptr = (ompd_address_t){.segment = OMPD_SEGMENT_UNSPECIFIED, .address = found};
	return ompd_rc_ok;
}
