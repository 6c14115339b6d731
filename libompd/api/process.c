/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD routines for processes and devices, versions and control variables (5.2, 20.5.2, 20.5.4, 20.5.9). */
#include <string.h>

#include "handles.h"
#include "icv.h"
#include "strbuf.h"

ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **host_handle)
{
	struct process *process;

	REQUIRE_CALLBACKS();
	if (!context || !host_handle)
		return ompd_rc_bad_input;
	RC_TRY(process_create(context, &process));
	ompd_rc_t rc = handle_create_address_space(process, host_handle);

	process_unref(process);
	return rc;
}

/* The widths of an id: the number of the device, as an int or a 64-bit number. */
static bool is_device_id_size(ompd_size_t size)
{
	return size == sizeof(int32_t) || size == sizeof(int64_t);
}

/*
 * Devices whose code the host executes are in the address space of a process with an OpenMP runtime: the initial
 * device, and those of LLVM's plugin for the host's processor. Code, memory and threads of other devices need callbacks
 * of their vendor's debugger.
 */
ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle, ompd_address_space_context_t *device_context,
				 ompd_device_t kind, ompd_size_t sizeof_id, void *id,
				 ompd_address_space_handle_t **device_handle)
{
	RC_TRY(handle_require(host_handle, HANDLE_ADDRESS_SPACE));
	if (!device_context || !sizeof_id || !id || !device_handle)
		return ompd_rc_bad_input;
	if (kind != OMPD_DEVICE_KIND_HOST) {
		cb_print("libompd: cannot open the device: kind %llu%s needs the debugger interface of its vendor\n",
			 (unsigned long long)kind, kind == OMPD_DEVICE_KIND_CUDA ? " (CUDA)" : "");
		return ompd_rc_unsupported;
	}
	if (!is_device_id_size(sizeof_id))
		return ompd_rc_bad_input;
	struct process *host = host_handle->base.process;

	return device_context == host->context ? handle_create_address_space(host, device_handle)
					       : ompd_process_initialize(device_context, device_handle);
}

ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle)
{
	return handle_release(handle, HANDLE_ADDRESS_SPACE);
}

ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle, ompd_thread_id_t **kinds,
					  ompd_size_t **thread_id_sizes, int *count)
{
	static const ompd_thread_id_t host_kinds[] = {OMPD_THREAD_ID_PTHREAD, OMPD_THREAD_ID_LWP};
	static const ompd_size_t host_sizes[] = {sizeof(uint64_t), sizeof(uint32_t)};
	void *kinds_copy, *sizes_copy;

	RC_TRY(handle_require(device_handle, HANDLE_ADDRESS_SPACE));
	if (!kinds || !thread_id_sizes || !count)
		return ompd_rc_bad_input;
	RC_TRY(cb_alloc(sizeof(host_kinds), &kinds_copy));
	ompd_rc_t rc = cb_alloc(sizeof(host_sizes), &sizes_copy);

	if (rc != ompd_rc_ok) {
		cb_free(kinds_copy);
		return rc;
	}
	memcpy(kinds_copy, host_kinds, sizeof(host_kinds));
	memcpy(sizes_copy, host_sizes, sizeof(host_sizes));
	*kinds = kinds_copy;
	*thread_id_sizes = sizes_copy;
	*count = sizeof(host_kinds) / sizeof(host_kinds[0]);
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space, ompd_word_t *omp_version)
{
	RC_TRY(handle_require(address_space, HANDLE_ADDRESS_SPACE));
	if (!omp_version)
		return ompd_rc_bad_input;
	struct process *process = address_space->base.process;

	return process->backend->omp_version(process, omp_version);
}

ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space, const char **string)
{
	struct strbuf text = {0};

	RC_TRY(handle_require(address_space, HANDLE_ADDRESS_SPACE));
	if (!string)
		return ompd_rc_bad_input;
	struct process *process = address_space->base.process;
	ompd_rc_t rc = process->backend->omp_version_string(process, &text);

	return strbuf_return(&text, rc, string);
}

/* The vector and its strings share one block, so one free releases both. */
static ompd_rc_t create_vector(const char *lines, size_t length, const char *const **ret)
{
	size_t count = 0;
	void *memory;

	for (size_t i = 0; i < length; i++)
		count += lines[i] == '\0';
	size_t vector_size = (count + 1) * sizeof(char *);

	RC_TRY(cb_alloc(vector_size + length, &memory));
	const char **vector = memory;
	char *text = (char *)memory + vector_size;

	if (length)
		memcpy(text, lines, length);
	for (size_t i = 0; i < count; i++) {
		vector[i] = text;
		text += strlen(text) + 1;
	}
	*ret = vector;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
					const char *const **control_vars)
{
	struct strbuf text = {0};

	RC_TRY(handle_require(address_space_handle, HANDLE_ADDRESS_SPACE));
	if (!control_vars)
		return ompd_rc_bad_input;
	ompd_rc_t rc = icv_print_variables(address_space_handle->base.process, &text);

	if (rc == ompd_rc_ok)
		rc = create_vector(text.data, text.length, control_vars);
	strbuf_deinit(&text);
	return rc;
}

ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars)
{
	REQUIRE_CALLBACKS();
	if (!control_vars || !*control_vars)
		return ompd_rc_bad_input;
	cb_free((void *)(uintptr_t)*control_vars);
	*control_vars = NULL;
	return ompd_rc_ok;
}
