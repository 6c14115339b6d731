/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements the callbacks for the stopped target. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "modules.h"

#define MAX_BYTES  (64u << 20)
#define MAX_BLOCKS 65536
/* Freed memory keeps its address and gets this content: a stale handle cannot look like a live one. */
#define FREED 0xdf

struct _ompd_aspace_cont {
	const struct target *target;
};

/* A thread's context is its place in the target's list. */
struct _ompd_thread_cont {
	struct target_thread thread;
};

struct block {
	void *memory;
	size_t size;
	bool is_freed;
};

static struct _ompd_aspace_cont space;
static struct block blocks[MAX_BLOCKS];
static size_t n_blocks;
static enum tool_failure failing;
static const char *fault;

static ompd_rc_t blame(const char *what)
{
	if (!fault)
		fault = what;
	return ompd_rc_bad_input;
}

const char *tool_fault(void)
{
	return fault;
}

void tool_open(const struct target *target)
{
	space.target = target;
}

ompd_address_space_context_t *tool_context(void)
{
	return &space;
}

void tool_fail(enum tool_failure failure)
{
	failing = failure;
}

static struct block *find_block(const void *memory)
{
	for (size_t i = n_blocks; i > 0; i--) {
		if (blocks[i - 1].memory == memory)
			return &blocks[i - 1];
	}
	return NULL;
}

bool tool_owns(const void *memory)
{
	const struct block *block = memory ? find_block(memory) : NULL;

	return block && !block->is_freed;
}

bool tool_owns_text(const char *text)
{
	const struct block *block = text ? find_block(text) : NULL;

	return block && !block->is_freed && text[0] && memchr(text, 0, block->size);
}

static ompd_rc_t alloc_memory(ompd_size_t nbytes, void **ptr)
{
	if (!ptr)
		return blame("it passed NULL to alloc_memory");
	if (failing == TOOL_FAILS_ALLOC || nbytes > MAX_BYTES || n_blocks == MAX_BLOCKS)
		return ompd_rc_nomem;
	/* Not zero: the library must initialise its memory. */
	void *memory = malloc(nbytes ? nbytes : 1);

	if (!memory)
		return ompd_rc_nomem;
	memset(memory, 0xa5, nbytes);
	blocks[n_blocks++] = (struct block){memory, nbytes, false};
	*ptr = memory;
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
	struct block *block = ptr ? find_block(ptr) : NULL;

	if (!block)
		return ptr ? blame("it freed memory that it had not allocated with alloc_memory") : ompd_rc_ok;
	if (block->is_freed)
		return blame("it freed memory twice");
	memset(ptr, FREED, block->size);
	block->is_freed = true;
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string, int category)
{
	(void)category;
	return string ? ompd_rc_ok : blame("it passed NULL to print_string");
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	if (context != &space || !sizes)
		return blame("it passed a wrong argument to sizeof_type");
	if (failing == TOOL_FAILS_SIZEOF)
		return ompd_rc_error;
	*sizes = (ompd_device_type_sizes_t){1, 2, 4, 8, 8, 8};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
				    const char *name, ompd_address_t *address, const char *file)
{
	uint64_t found;
	bool is_tls = false;

	if (context != &space || !name || !address)
		return blame("it passed a wrong argument to symbol_addr_lookup");
	if (failing == TOOL_FAILS_SYMBOL ||
	    !modules_find(space.target, name, file, thread ? &thread->thread : NULL, &found, &is_tls))
		return is_tls && !thread ? ompd_rc_bad_input : ompd_rc_unavailable;
	*address = (ompd_address_t){ompd_segment_none, found};
	return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	(void)thread;
	if (context != &space || !address || (nbytes && !buffer))
		return blame("it passed a wrong argument to read_memory");
	if (failing == TOOL_FAILS_READ || nbytes > MAX_BYTES ||
	    !target_read(space.target, address->address, buffer, nbytes))
		return ompd_rc_error;
	return ompd_rc_ok;
}

/* Read up to the end of the string, or @nbytes bytes. */
static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	char *to = buffer;

	(void)thread;
	if (context != &space || !address || !nbytes || !buffer)
		return blame("it passed a wrong argument to read_string");
	for (ompd_size_t i = 0; i < nbytes; i++) {
		if (failing == TOOL_FAILS_READ || !target_read(space.target, address->address + i, &to[i], 1))
			return ompd_rc_error;
		if (!to[i])
			break;
	}
	return ompd_rc_ok;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t nbytes, const void *buffer)
{
	(void)thread;
	(void)nbytes;
	if (context != &space || !address || !buffer)
		return blame("it passed a wrong argument to write_memory");
	return ompd_rc_unsupported;
}

/* The target has the kit's processor. */
static ompd_rc_t convert(ompd_address_space_context_t *context, const void *input, ompd_size_t unit, ompd_size_t count,
			 void *output)
{
	ompd_size_t size;

	if (context != &space || !input || !output || __builtin_mul_overflow(unit, count, &size) || size > MAX_BYTES)
		return blame("it passed a wrong argument to device_to_host or host_to_device");
	memmove(output, input, size);
	return ompd_rc_ok;
}

static ompd_rc_t get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
				    const void *id, ompd_thread_context_t **ret)
{
	uint64_t wanted = 0;

	if (context != &space || !id || !ret)
		return blame("it passed a wrong argument to get_thread_context_for_thread_id");
	if (failing == TOOL_FAILS_THREAD)
		return ompd_rc_error;
	if (kind != OMPD_THREAD_ID_LWP && kind != OMPD_THREAD_ID_PTHREAD)
		return ompd_rc_unsupported;
	if (size != sizeof(uint64_t) && (size != sizeof(uint32_t) || kind == OMPD_THREAD_ID_PTHREAD))
		return ompd_rc_bad_input;
	memcpy(&wanted, id, size);
	for (size_t i = 0; i < space.target->n_threads; i++) {
		struct target_thread *thread = &space.target->threads[i];

		if (wanted != (kind == OMPD_THREAD_ID_LWP ? (uint64_t)thread->tid
							  : thread->pointer - modules_behind()))
			continue;
		*ret = (struct _ompd_thread_cont *)(void *)thread;
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

static const ompd_callbacks_t table = {
	.alloc_memory = alloc_memory,
	.free_memory = free_memory,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr_lookup,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.read_string = read_string,
	.device_to_host = convert,
	.host_to_device = convert,
	.get_thread_context_for_thread_id = get_thread_context,
};

const ompd_callbacks_t *tool_callbacks(void)
{
	return &table;
}
