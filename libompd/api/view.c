/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views: the tool promises that the target stays unchanged (ompd-more.h). */
#include "callbacks.h"
#include "handles.h"
#include "memo.h"
#include "ompd-more.h"

ompd_rc_t ompd_begin_view(ompd_address_space_handle_t *handle)
{
	REQUIRE_CALLBACKS();
	if (!handle_is(handle, HANDLE_ADDRESS_SPACE))
		return ompd_rc_bad_input;
	memo_begin_view(handle->base.process->context);
	return ompd_rc_ok;
}

ompd_rc_t ompd_end_view(ompd_address_space_handle_t *handle)
{
	REQUIRE_CALLBACKS();
	if (!handle_is(handle, HANDLE_ADDRESS_SPACE))
		return ompd_rc_bad_input;
	memo_end_view();
	return ompd_rc_ok;
}
