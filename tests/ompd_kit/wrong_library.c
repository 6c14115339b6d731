/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A deliberately wrong OMPD library, for a test of the kit: each routine has one fault that the kit
 * must report.
 */
#include "omp-tools.h"

#include <stdlib.h>
#include <unistd.h>

static const ompd_callbacks_t *callbacks;

/* The version is not a value of _OPENMP. */
ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	*version = callbacks ? OMPD_API_VERSION_5_2 : 5;
	return ompd_rc_ok;
}

/* A NULL pointer is not checked: a crash. */
ompd_rc_t ompd_get_version_string(const char **string)
{
	*string = "wrong";
	return ompd_rc_ok;
}

/* Any table is accepted. */
ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *table)
{
	callbacks = table;
	return api_version == 1 ? ompd_rc_unsupported : ompd_rc_ok;
}

/* A library that was never initialised: a hang. */
ompd_rc_t ompd_finalize(void)
{
	while (!callbacks)
		pause();
	callbacks = NULL;
	return ompd_rc_ok;
}

ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **host_handle)
{
	void *memory;

	if (!context || !host_handle)
		return ompd_rc_bad_input;
	if (callbacks->alloc_memory(16, &memory) != ompd_rc_ok)
		return ompd_rc_nomem;
	*host_handle = memory;
	return ompd_rc_ok;
}

/* A released handle is accepted, and memory is freed twice. */
ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	if (!handle)
		return ompd_rc_stale_handle;
	callbacks->free_memory(handle);
	return ompd_rc_ok;
}

/* The string does not belong to the tool. */
ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space, const char **string)
{
	*string = "5.2";
	return address_space ? ompd_rc_ok : ompd_rc_stale_handle;
}

/* The library ends its host. */
ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
	(void)address_space;
	(void)omp_version;
	_exit(3);
}
