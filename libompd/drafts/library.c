/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Routines of 2014 and 2016 for the library itself and for breakpoints (ompd-drafts.h). */
#include "handles.h"
#include "ompd-drafts.h"

ompd_rc_t ompd_get_version(int *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = 2;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_compatibility(int *version)
{
	return ompd_get_version(version);
}

ompd_rc_t ompd_get_error_string(int errcode, const char **string)
{
	static const char *const texts[] = {
		[ompd_rc_ok] = "the operation was successful",
		[ompd_rc_unavailable] = "the information is not available in this context",
		[ompd_rc_stale_handle] = "the handle is no longer valid",
		[ompd_rc_bad_input] = "an argument is not valid",
		[ompd_rc_error] = "the operation failed",
		[ompd_rc_unsupported] = "the operation is not supported",
		[ompd_rc_needs_state_tracking] = "the runtime does not track states in this process",
		[ompd_rc_incompatible] = "this library is not compatible with the target",
		[ompd_rc_device_read_error] = "the target could not be read",
		[ompd_rc_device_write_error] = "the target could not be written",
		[ompd_rc_nomem] = "no memory could be allocated",
		[ompd_rc_incomplete] = "the information is incomplete",
		[ompd_rc_callback_error] = "a callback of the tool failed",
	};

	if (!string || errcode < 0 || (size_t)errcode >= sizeof(texts) / sizeof(texts[0]))
		return ompd_rc_bad_input;
	*string = texts[errcode];
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_breakpoints(ompd_address_space_handle_t *handle, ompd_breakpoints_t *bkpt_locations)
{
	ompd_breakpoints_t found;

	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if (!bkpt_locations)
		return ompd_rc_bad_input;
	ompd_address_space_context_t *context = handle->base.process->context;

	RC_TRY(cb_symbol(context, NULL, "ompd_bp_parallel_begin", NULL, &found.parallel_pre_execute));
	RC_TRY(cb_symbol(context, NULL, "ompd_bp_parallel_end", NULL, &found.parallel_post_execute));
	RC_TRY(cb_symbol(context, NULL, "ompd_bp_task_begin", NULL, &found.task_pre_execute));
	RC_TRY(cb_symbol(context, NULL, "ompd_bp_task_end", NULL, &found.task_post_execute));
	*bkpt_locations = found;
	return ompd_rc_ok;
}

ompd_rc_t ompd_enable(ompd_address_space_handle_t *handle, ompd_enable_setting_t setting)
{
	RC_TRY(handle_require(handle, HANDLE_ADDRESS_SPACE));
	if ((setting != ompd_enable_off && setting != ompd_enable_on))
		return ompd_rc_bad_input;
	const struct process *process = handle->base.process;

	return process->backend->set_breakpoints ? process->backend->set_breakpoints(process, setting == ompd_enable_on)
						 : ompd_rc_unsupported;
}
