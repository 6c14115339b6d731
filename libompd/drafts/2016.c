/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names of 2016 whose signature has changed, under the symbol version OMPD_2016
 * (ompd-drafts.h). They exist only in the shared library, whose version script has that version.
 */
#include <string.h>

#include "callbacks.h"
#include "drafts/draft.h"

#define PAGE 4096

/* Export @function as the second version of @name. The version script hides the function's own name. */
#define OF_2016(function, name) __asm__(".symver " #function ", " #name "@OMPD_2016")

OMPD_API ompd_rc_t initialize_2016(const ompd_2016_callbacks_t *callbacks);
OMPD_API ompd_rc_t get_thread_in_parallel_2016(ompd_parallel_handle_t *region, ompd_thread_handle_t ***vector,
					       int *count);
OMPD_API ompd_rc_t get_task_frame_2016(ompd_task_handle_t *task, ompd_address_t *exit_addr, ompd_address_t *enter_addr);
OMPD_API ompd_rc_t get_thread_handle_2016(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
					  ompd_size_t size, const void *osthread, ompd_thread_handle_t **ret);

/*
 * Wrap the tool's callbacks of 2016 in those of 5.2. `tool` is the library's only global besides
 * that of callbacks.c.
 */

static ompd_2016_callbacks_t tool;

static ompd_rc_t alloc_memory(ompd_size_t nbytes, void **ptr)
{
	return tool.d_alloc_memory((ompd_tword_t)nbytes, ptr);
}

static ompd_rc_t print_string(const char *string, int category)
{
	(void)category;
	return tool.print_string(string);
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	ompd_target_type_sizes_t old;

	RC_TRY(tool.t_sizeof_prim_type(context, &old));
	*sizes = (ompd_device_type_sizes_t){
		(uint8_t)old.sizeof_char, (uint8_t)old.sizeof_short,	 (uint8_t)old.sizeof_int,
		(uint8_t)old.sizeof_long, (uint8_t)old.sizeof_long_long, (uint8_t)old.sizeof_pointer,
	};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
				    const char *name, ompd_address_t *address, const char *file)
{
	(void)file; /* the lookup of 2016 has no file argument */
	return tool.t_symbol_addr_lookup(context, thread, name, address);
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	return tool.t_read_memory(context, thread, address, (ompd_tword_t)nbytes, buffer);
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t nbytes, const void *buffer)
{
	return tool.t_write_memory ? tool.t_write_memory(context, thread, address, (ompd_tword_t)nbytes, buffer)
				   : ompd_rc_unsupported;
}

/*
 * 2016 had no such callback. Read page by page and look for the end in each: the next page may not
 * be mapped.
 */
static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	ompd_address_t at = *address;
	char *to = buffer;

	while (nbytes) {
		ompd_size_t n = PAGE - at.address % PAGE;

		if (n > nbytes)
			n = nbytes;
		RC_TRY(read_memory(context, thread, &at, n, to));
		if (memchr(to, '\0', n))
			break;
		at.address += n;
		to += n;
		nbytes -= n;
	}
	return ompd_rc_ok;
}

static ompd_rc_t device_to_host(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
				ompd_size_t count, void *output)
{
	return tool.target_to_host(context, input, (int)unit_size, (int)count, output);
}

static ompd_rc_t host_to_device(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
				ompd_size_t count, void *output)
{
	return tool.host_to_target ? tool.host_to_target(context, input, (int)unit_size, (int)count, output)
				   : ompd_rc_unsupported;
}

static ompd_rc_t get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
				    const void *id, ompd_thread_context_t **ret)
{
	return tool.get_thread_context_for_osthread(context, (ompd_osthread_kind_t)kind, size, id, ret);
}

ompd_rc_t initialize_2016(const ompd_2016_callbacks_t *callbacks)
{
	if (!callbacks || !callbacks->d_alloc_memory || !callbacks->d_free_memory || !callbacks->print_string ||
	    !callbacks->t_sizeof_prim_type || !callbacks->t_symbol_addr_lookup || !callbacks->t_read_memory ||
	    !callbacks->target_to_host || !callbacks->get_thread_context_for_osthread)
		return ompd_rc_bad_input;
	tool = *callbacks;

	const ompd_callbacks_t table = {
		alloc_memory, tool.d_free_memory, print_string,	  sizeof_type,	  symbol_addr_lookup, read_memory,
		write_memory, read_string,	  device_to_host, host_to_device, get_thread_context,
	};
	return cb_install(&table);
}
OF_2016(initialize_2016, ompd_initialize);

ompd_rc_t get_thread_in_parallel_2016(ompd_parallel_handle_t *region, ompd_thread_handle_t ***vector, int *count)
{
	return draft_threads_of_region(region, vector, count);
}
OF_2016(get_thread_in_parallel_2016, ompd_get_thread_in_parallel);

ompd_rc_t get_task_frame_2016(ompd_task_handle_t *task, ompd_address_t *exit_addr, ompd_address_t *enter_addr)
{
	ompd_frame_info_t exit_frame, enter_frame;

	if (!exit_addr || !enter_addr)
		return ompd_rc_bad_input;
	RC_TRY(ompd_get_task_frame(task, &exit_frame, &enter_frame));
	*exit_addr = exit_frame.frame_address;
	*enter_addr = enter_frame.frame_address;
	return ompd_rc_ok;
}
OF_2016(get_task_frame_2016, ompd_get_task_frame);

ompd_rc_t get_thread_handle_2016(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind, ompd_size_t size,
				 const void *osthread, ompd_thread_handle_t **ret)
{
	if (!ret)
		return ompd_rc_bad_input;
	ompd_rc_t rc = ompd_get_thread_handle(handle, (ompd_thread_id_t)kind, size, osthread, ret);

	if (rc != ompd_rc_ok)
		*ret = NULL;
	return rc == ompd_rc_unavailable ? ompd_rc_bad_input : rc;
}
OF_2016(get_thread_handle_2016, ompd_get_thread_handle);
