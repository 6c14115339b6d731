/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines of 2014 and 2016 that return values which are ICVs in 5.2 (ompd-drafts.h). */
#include <stdlib.h>

#include "handles.h"
#include "icv.h"
#include "ompd-drafts.h"
#include "strbuf.h"

/* Return the integer of an ICV in its scope. For a list, these routines return the first element. */
static ompd_rc_t get_icv(void *handle, enum icv_kind kind, ompd_tword_t *val)
{
	if (!val)
		return ompd_rc_bad_input;
	ompd_rc_t rc = ompd_get_icv_from_scope(handle, icv_info(kind)->scope, kind, val);

	if (rc == ompd_rc_incompatible) /* the ICV is an integer, so the handle has another kind */
		return ompd_rc_stale_handle;
	return rc == ompd_rc_incomplete ? ompd_rc_ok : rc;
}

/* Return the integer of an ICV of the region that @task is bound to. */
static ompd_rc_t get_region_icv(ompd_task_handle_t *task, enum icv_kind kind, ompd_tword_t *val)
{
	ompd_parallel_handle_t *region;

	RC_TRY(ompd_get_task_parallel_handle(task, &region));
	ompd_rc_t rc = get_icv(region, kind, val);

	ompd_rel_parallel_handle(region);
	return rc;
}

ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
	return get_icv(handle, ICV_NUM_PROCS, val);
}

ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!val)
		return ompd_rc_bad_input;
	/* Without a task, the backend returns the initial value from the environment. */
	const struct process *process = handle->base.process;
	const struct task_ref initial = {0};
	struct icv_value value = {0};

	RC_TRY(icv_read_value(process, ICV_THREAD_LIMIT, &(struct subject){.task = &initial}, &value));
	*val = value.number;
	return ompd_rc_ok;
}

ompd_rc_t ompd_display_control_vars(ompd_address_space_handle_t *handle, const char **control_var_values)
{
	struct strbuf text = {0};

	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!control_var_values)
		return ompd_rc_bad_input;
	ompd_rc_t rc = icv_print_variables(handle->base.process, &text);

	/* Each line ends with a null byte there. */
	if (text.length)
		text.length--;
	for (size_t i = 0; i < text.length; i++) {
		if (!text.data[i])
			text.data[i] = '\n';
	}
	return strbuf_return(&text, rc, control_var_values);
}

ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val)
{
	return get_icv(parallel_handle, ICV_TEAM_SIZE, val);
}

ompd_rc_t ompd_get_level(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val)
{
	return get_icv(parallel_handle, ICV_LEVELS, val);
}

ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	return get_region_icv(task_handle, ICV_ACTIVE_LEVELS, val);
}

ompd_rc_t ompd_get_thread_num(ompd_thread_handle_t *thread_handle, ompd_tword_t *val)
{
	return get_icv(thread_handle, ICV_THREAD_NUM, val);
}

ompd_rc_t ompd_get_max_active_levels(ompd_thread_handle_t *thread_handle, ompd_tword_t *val)
{
	ompd_task_handle_t *task;

	RC_TRY(ompd_get_curr_task_handle(thread_handle, &task));
	ompd_rc_t rc = get_icv(task, ICV_MAX_ACTIVE_LEVELS, val);

	ompd_rel_task_handle(task);
	return rc;
}

ompd_rc_t ompd_get_max_threads(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	return get_icv(task_handle, ICV_NTHREADS, val);
}

ompd_rc_t ompd_in_parallel(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	RC_TRY(get_region_icv(task_handle, ICV_ACTIVE_LEVELS, val));
	*val = *val > 0;
	return ompd_rc_ok;
}

ompd_rc_t ompd_in_final(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	return get_icv(task_handle, ICV_FINAL_TASK, val);
}

ompd_rc_t ompd_get_dynamic(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	return get_icv(task_handle, ICV_DYN, val);
}

ompd_rc_t ompd_get_nested(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	RC_TRY(get_icv(task_handle, ICV_MAX_ACTIVE_LEVELS, val));
	*val = *val > 1;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind, ompd_tword_t *modifier)
{
	const char *text, *comma;
	ompd_tword_t schedule;

	if (!kind || !modifier)
		return ompd_rc_bad_input;
	RC_TRY(get_icv(task_handle, ICV_RUN_SCHED, &schedule));
	RC_TRY(ompd_get_icv_string_from_scope(task_handle, icv_info(ICV_RUN_SCHED)->scope, ICV_RUN_SCHED, &text));
	/* "monotonic:dynamic,4" */
	for (comma = text; *comma && *comma != ','; comma++)
		continue;
	*kind = (ompd_sched_t)(schedule & 0x7fffffff); /* the top bit is monotonic, which 2016 did not have */
	*modifier = *comma ? strtoll(comma + 1, NULL, 10) : 0;
	cb_free((void *)(uintptr_t)text);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind)
{
	ompd_tword_t value;

	if (!bind)
		return ompd_rc_bad_input;
	RC_TRY(get_icv(task_handle, ICV_BIND, &value));
	*bind = (ompd_proc_bind_t)value;
	return ompd_rc_ok;
}

ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
	return get_icv(task_handle, ICV_OMPD_IMPLICIT, val);
}
