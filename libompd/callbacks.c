/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callback table, and checked calls through it. */
#include "callbacks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memo.h"

/* Elements of an array's first memory, beyond those that are needed. */
#define FIRST_ROOM 16

/* OMPD serves one tool, and one thread at a time (5.2, 20.5.3). */
static ompd_callbacks_t table;

bool cb_is_installed(void)
{
	return table.alloc_memory != NULL;
}

bool cb_begin(void)
{
	memo_begin_call();
	return cb_is_installed();
}

ompd_rc_t cb_install(const ompd_callbacks_t *given)
{
	/*
	 * A tool without print_string wants no messages (5.2, 20.4.5). Only ompd_enable() needs
	 * write_memory, and no routine needs host_to_device.
	 */
	if (!given || !given->alloc_memory || !given->free_memory || !given->sizeof_type ||
	    !given->symbol_addr_lookup || !given->read_memory || !given->read_string || !given->device_to_host ||
	    !given->get_thread_context_for_thread_id)
		return ompd_rc_bad_input;
	table = *given;
	return ompd_rc_ok;
}

void cb_uninstall(void)
{
	memset(&table, 0, sizeof(table));
	memo_end_view();
}

ompd_rc_t cb_alloc_raw(size_t size, void **ret)
{
	void *ptr = NULL;

	RC_TRY(table.alloc_memory(size, &ptr));
	if (!ptr)
		return ompd_rc_nomem;
	*ret = ptr;
	return ompd_rc_ok;
}

ompd_rc_t cb_alloc(size_t size, void **ret)
{
	RC_TRY(cb_alloc_raw(size, ret));
	memset(*ret, 0, size);
	return ompd_rc_ok;
}

void cb_free(void *ptr)
{
	if (ptr)
		table.free_memory(ptr);
}

ompd_rc_t cb_reserve(void *array, size_t *room, size_t n, size_t more, size_t size)
{
	size_t wanted = 2 * *room > n + more ? 2 * *room : n + more + FIRST_ROOM;
	void *old, *bigger;

	if (n + more <= *room)
		return ompd_rc_ok;
	RC_TRY(cb_alloc(wanted * size, &bigger));
	memcpy(&old, array, sizeof(old));
	if (n)
		memcpy(bigger, old, n * size);
	cb_free(old);
	memcpy(array, &bigger, sizeof(bigger));
	*room = wanted;
	return ompd_rc_ok;
}

ompd_rc_t cb_strdup(const char *text, const char **ret)
{
	size_t size = strlen(text) + 1;
	void *copy;

	RC_TRY(cb_alloc(size, &copy));
	memcpy(copy, text, size);
	*ret = copy;
	return ompd_rc_ok;
}

void cb_print(const char *format, ...)
{
	char line[512];
	va_list args;

	if (!table.print_string)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	table.print_string(line, 0);
}

ompd_rc_t cb_check_device(ompd_address_space_context_t *context)
{
	ompd_device_type_sizes_t sizes = {0};
	uint64_t in = 0x0102030405060708, out = 0;

	RC_TRY(table.sizeof_type(context, &sizes));
	if (sizes.sizeof_int != sizeof(int) || sizes.sizeof_long != sizeof(long) ||
	    sizes.sizeof_pointer != sizeof(void *)) {
		cb_print("libompd: the target is not a 64-bit process (pointers of %u bytes)\n", sizes.sizeof_pointer);
		return ompd_rc_incompatible;
	}
	RC_TRY(table.device_to_host(context, &in, sizeof(in), 1, &out));
	if (in != out) {
		cb_print("libompd: cannot read the target: its byte order differs from this debugger's\n");
		return ompd_rc_incompatible;
	}
	return ompd_rc_ok;
}

ompd_rc_t cb_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *symbol,
		    const char *file, ompd_addr_t *ret)
{
	ompd_address_t address = {ompd_segment_none, 0};

	if (table.symbol_addr_lookup(context, thread, symbol, &address, file) != ompd_rc_ok || !address.address)
		return ompd_rc_unavailable;
	*ret = address.address;
	return ompd_rc_ok;
}

ompd_rc_t cb_read(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret)
{
	ompd_address_t at = {ompd_segment_none, address};

	if (!address || address + size < address)
		return ompd_rc_device_read_error;
	if (memo_find(context, address, size, ret))
		return ompd_rc_ok;
	RC_TRY(table.read_memory(context, NULL, &at, size, ret));
	memo_add(context, address, size, ret);
	return ompd_rc_ok;
}

ompd_rc_t cb_write(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes)
{
	ompd_address_t at = {ompd_segment_none, address};

	if (!address || address + size < address)
		return ompd_rc_device_write_error;
	memo_forget();
	return table.write_memory ? table.write_memory(context, NULL, &at, size, bytes) : ompd_rc_unsupported;
}

ompd_rc_t cb_read_string(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, char *ret)
{
	ompd_address_t at = {ompd_segment_none, address};

	if (!address)
		return ompd_rc_device_read_error;
	memset(ret, 0, size);
	RC_TRY(table.read_string(context, NULL, &at, size, ret));
	return memchr(ret, 0, size) ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t cb_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
			    const void *id, ompd_thread_context_t **ret)
{
	ompd_thread_context_t *thread = NULL;

	RC_TRY(table.get_thread_context_for_thread_id(context, kind, size, id, &thread));
	if (!thread)
		return ompd_rc_unavailable;
	*ret = thread;
	return ompd_rc_ok;
}
