/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for the library itself, and views (5.2, 20.5.1; ompd-more.h). */
#include "code/decode.h"
#include "handles.h"
#include "memo.h"
#include "ompd-more.h"

#ifndef OMPDD_VERSION
#define OMPDD_VERSION "unknown"
#endif

/* The version of the interface that the tool gets: 5.2, or 6.0 if it asked for that one. */
static ompd_word_t version_in_use = OMPD_API_VERSION_5_2;

ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks)
{
	/*
	 * A tool may initialise again, with or without ompd_finalize(). The new table replaces the
	 * old one, and handles stay valid.
	 */
	if (!callbacks)
		return ompd_rc_bad_input;
	switch (api_version) {
	case OMPD_API_VERSION_5_0:
	case OMPD_API_VERSION_5_1:
	case OMPD_API_VERSION_5_2:
	case OMPD_API_VERSION_6_0:
		break; /* all these versions have the same table */
	default:
		return ompd_rc_unsupported;
	}
	ompd_rc_t rc = cb_install(callbacks);

	if (rc == ompd_rc_ok)
		version_in_use = api_version == OMPD_API_VERSION_6_0 ? api_version : OMPD_API_VERSION_5_2;
	return rc;
}

ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = version_in_use;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
	if (!string)
		return ompd_rc_bad_input;
	*string = "ompdd libompd " OMPDD_VERSION " (OMPD 5.2)";
	return ompd_rc_ok;
}

ompd_rc_t ompd_finalize(void)
{
	if (!cb_is_installed())
		return ompd_rc_unsupported; /* required by 20.5.1.4 */
	handle_release_all();
	cb_uninstall();
	return ompd_rc_ok;
}

ompd_rc_t ompd_use_processor(ompd_word_t elf_machine)
{
	return elf_machine >= 0 && elf_machine <= UINT16_MAX && decode_use((uint16_t)elf_machine) ? ompd_rc_ok
												  : ompd_rc_unsupported;
}

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
