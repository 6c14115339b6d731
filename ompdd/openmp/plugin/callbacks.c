/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OMPD callbacks. They are the hot path of every walk: a read is one lookup in the target's page cache. Nothing is
 * logged, and only the library's own requests allocate memory. Everything that the library passes is checked as far as
 * possible. A wild pointer causes a fault, which counts as the library's crash (openmp/plugin/guard).
 */
#include "openmp/plugin/callbacks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "openmp/plugin/blocks.h"
#include "target/modules/modules.h"
#include "target/target.h"

/* Limit for the bytes of one read or conversion. */
#define CALLBACKS_MAX_BYTES (64u << 20)

struct _ompd_aspace_cont {
	struct target *target;
	uint64_t module;
};

/*
 * Libraries keep thread contexts in their handles, so a context lives as long as the target. It names a thread: each
 * use checks that the thread still exists.
 */
struct _ompd_thread_cont {
	pid_t tid;
	uint64_t pthread;
};

static struct {
	struct target *target;
	struct _ompd_aspace_cont spaces[CALLBACKS_MAX_SPACES];
	struct _ompd_thread_cont *threads; /* TARGET_MAX_THREADS entries, address space only */
	size_t n_threads;
	struct hash by_tid; /* of threads[] */
	struct error *error;
	char message[CALLBACKS_MAX_PRINT];
} state;

void callbacks_set_target(struct target *t)
{
	if (t && t == state.target)
		return;
	hash_clear(&state.by_tid);
	state.n_threads = 0;
	error_destroy(state.error);
	state.error = NULL;
	memset(state.spaces, 0, sizeof(state.spaces));
	memset(state.message, 0, sizeof(state.message));
	state.target = t;
	for (size_t i = 0; i < CALLBACKS_MAX_SPACES; i++)
		state.spaces[i].target = t;
}

ompd_address_space_context_t *callbacks_context(unsigned runtime)
{
	return &state.spaces[runtime];
}

void callbacks_set_module(unsigned runtime, uint64_t address)
{
	state.spaces[runtime].module = address;
}

struct error *callbacks_take_error(void)
{
	struct error *err = state.error;

	state.error = NULL;
	return err;
}

struct error *callbacks_why(struct error *err)
{
	struct error *broken = callbacks_take_error();

	if (!broken)
		return err;
	error_destroy(err);
	return broken;
}

bool callbacks_have_error(void)
{
	return state.error != NULL;
}

const char *callbacks_message(void)
{
	return state.message;
}

void callbacks_clear_message(void)
{
	state.message[0] = '\0';
}

static struct target *get_target(const ompd_address_space_context_t *context)
{
	uintptr_t offset = (uintptr_t)context - (uintptr_t)state.spaces;

	return offset < sizeof(state.spaces) && offset % sizeof(*context) == 0 ? context->target : NULL;
}

/*
 * Explain why @nbytes at @addr cannot be read. Memory that a core lacks makes the whole view invalid, not only this
 * value.
 */
static struct error *explain_error(struct target *t, uint64_t addr, ompd_size_t nbytes, struct error *err TAKES)
{
	if (!error_is(err, ERR_MEMORY_UNREADABLE) ||
	    (!target_lacks(t, addr) && !target_lacks(t, addr + (nbytes ? nbytes - 1 : 0))))
		return err;
	struct error *missing = target_missing(t, 0);

	if (!missing)
		return err;
	error_destroy(err);
	return missing;
}

/* Convert a failed access to OMPD's code @rc. Keep an error that concerns the whole view. */
static ompd_rc_t convert_error(TAKES struct error *err, ompd_rc_t rc)
{
	if (!error_is(err, ERR_MEMORY_UNREADABLE) && !error_is(err, ERR_SYMBOL_NOT_FOUND) && !state.error)
		state.error = err;
	else
		error_destroy(err);
	return rc;
}

static ompd_rc_t alloc_memory(ompd_size_t nbytes, void **ptr)
{
	if (!ptr)
		return ompd_rc_bad_input;
	void *p = blocks_alloc(nbytes);

	if (!p)
		return ompd_rc_nomem;
	*ptr = p;
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
	if (blocks_free(ptr))
		return ompd_rc_ok;
	if (ptr)
		log_debug("plugin: it frees %p, which was not allocated for it", ptr);
	return ompd_rc_bad_input;
}

void callbacks_free(const void *p)
{
	blocks_free((void *)p);
}

size_t callbacks_strlen(const char *s, size_t max)
{
	size_t size;

	if (!s)
		return SIZE_MAX;
	if (blocks_size(s, &size) && size < max)
		max = size;
	size_t len = strnlen(s, max);

	return len == max ? SIZE_MAX : len;
}

static ompd_rc_t print_string(const char *string, int category)
{
	if (!string)
		return ompd_rc_bad_input;
	size_t len = strnlen(string, sizeof(state.message) - 1);

	while (len > 0 && string[len - 1] == '\n')
		len--;
	if (len > 0) {
		memcpy(state.message, string, len);
		state.message[len] = '\0';
		log_info("plugin: %s (category %d)", state.message, category);
	}
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	if (!sizes || !get_target(context))
		return ompd_rc_bad_input;
	*sizes = (ompd_device_type_sizes_t){
		.sizeof_char = 1,
		.sizeof_short = 2,
		.sizeof_int = 4,
		.sizeof_long = 8,
		.sizeof_long_long = 8,
		.sizeof_pointer = 8,
	};
	return ompd_rc_ok;
}

static bool is_our_context(const ompd_thread_context_t *context)
{
	uintptr_t offset = (uintptr_t)context - (uintptr_t)state.threads;

	return state.threads && offset / sizeof(*context) < state.n_threads && offset % sizeof(*context) == 0;
}

/* Return the thread in the present view. Return NULL if @context is not ours or the thread has exited. */
static const struct target_thread *find_thread(struct target *t, const ompd_thread_context_t *context)
{
	if (!is_our_context(context))
		return NULL;
	const struct target_thread *thread = target_thread_by_tid(t, context->tid);

	return thread && thread->pthread == context->pthread ? thread : NULL;
}

/* A symbol of another runtime in the process does not belong to this runtime. */
static bool is_of_another(const ompd_address_space_context_t *context, const struct target_symbol *symbol)
{
	for (size_t i = 0; i < CALLBACKS_MAX_SPACES && symbol->module; i++) {
		const struct _ompd_aspace_cont *other = &state.spaces[i];

		if (other != context && other->module >= symbol->module->start && other->module < symbol->module->end)
			return true;
	}
	return false;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
				    const char *symbol_name, ompd_address_t *symbol_addr, const char *file_name)
{
	struct target *t = get_target(context);
	struct target_symbol symbol;
	struct error *err;
	uint64_t address;

	if (!t || !symbol_name || !symbol_addr)
		return ompd_rc_bad_input;
	target_prefer_module(t, context->module);
	/*
	 * This prefix is reserved for OpenMP runtimes. Search only them: a missing name would be searched in the whole
	 * C library.
	 */
	err = !file_name && !strncmp(symbol_name, "ompd_", 5) ? target_runtime_symbol(t, symbol_name, &symbol)
							      : target_symbol(t, symbol_name, file_name, &symbol);
	if (err)
		return convert_error(err, ompd_rc_unavailable);
	if (is_of_another(context, &symbol))
		return ompd_rc_unavailable;
	address = symbol.address;
	if (symbol.is_tls) {
		if (!thread_context)
			return ompd_rc_bad_input;
		const struct target_thread *thread = find_thread(t, thread_context);

		if (!thread)
			return ompd_rc_unavailable;
		err = target_tls_address(t, thread, &symbol, &address);
		if (err)
			return convert_error(err, ompd_rc_unavailable);
	}
	*symbol_addr = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, address};
	return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			     const ompd_address_t *addr, ompd_size_t nbytes, void *buffer)
{
	struct target *t = get_target(context);

	(void)thread_context;
	if (!t || !addr || (!buffer && nbytes > 0) || nbytes > CALLBACKS_MAX_BYTES)
		return ompd_rc_bad_input;
	struct error *err = target_read(t, addr->address, buffer, nbytes);

	return err ? convert_error(explain_error(t, addr->address, nbytes, err), ompd_rc_error) : ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			     const ompd_address_t *addr, ompd_size_t nbytes, void *buffer)
{
	struct target *t = get_target(context);

	(void)thread_context;
	if (!t || !addr || !buffer || nbytes == 0 || nbytes > CALLBACKS_MAX_BYTES)
		return ompd_rc_bad_input;
	struct error *err = target_read_string(t, addr->address, buffer, nbytes);

	return err ? convert_error(explain_error(t, addr->address, 1, err), ompd_rc_error) : ompd_rc_ok;
}

/* This program never writes into a target. */
static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			      const ompd_address_t *addr, ompd_size_t nbytes, const void *buffer)
{
	(void)context;
	(void)thread_context;
	(void)addr;
	(void)nbytes;
	(void)buffer;
	return ompd_rc_unsupported;
}

/* Both directions are copies: target and host have the same processor. */
static ompd_rc_t convert_values(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
				ompd_size_t count, void *output)
{
	ompd_size_t nbytes;

	if (!get_target(context) || !input || !output || unit_size == 0 ||
	    __builtin_mul_overflow(unit_size, count, &nbytes) || nbytes > CALLBACKS_MAX_BYTES)
		return ompd_rc_bad_input;
	memmove(output, input, nbytes);
	return ompd_rc_ok;
}

/* Return the lasting context of @thread; a reused tid gets a new one. Return NULL if there are too many. */
static ompd_thread_context_t *get_context(const struct target_thread *thread)
{
	if (!state.threads)
		state.threads = calloc(TARGET_MAX_THREADS, sizeof(*state.threads));
	if (!state.threads)
		return NULL;
	uint32_t hash = hash_number((uint64_t)thread->tid);
	hash_for_each(i, &state.by_tid, hash)
	{
		if (state.threads[i].tid == thread->tid && state.threads[i].pthread == thread->pthread)
			return &state.threads[i];
	}
	if (state.n_threads == TARGET_MAX_THREADS || !hash_add(&state.by_tid, hash, (uint32_t)state.n_threads))
		return NULL;
	state.threads[state.n_threads] = (struct _ompd_thread_cont){thread->tid, thread->pthread};
	return &state.threads[state.n_threads++];
}

static ompd_rc_t get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				    ompd_size_t sizeof_thread_id, const void *thread_id,
				    ompd_thread_context_t **thread_context)
{
	const struct target_thread *thread;
	struct target *t = get_target(context);

	if (!t || !thread_id || !thread_context)
		return ompd_rc_bad_input;
	if (kind == OMPD_THREAD_ID_PTHREAD) {
		uint64_t pthread;

		if (sizeof_thread_id != sizeof(pthread))
			return ompd_rc_bad_input;
		memcpy(&pthread, thread_id, sizeof(pthread));
		thread = pthread ? target_thread_by_pthread(t, pthread) : NULL;
	} else if (kind == OMPD_THREAD_ID_LWP) {
		int64_t tid = 0;

		if (sizeof_thread_id != sizeof(int32_t) && sizeof_thread_id != sizeof(int64_t))
			return ompd_rc_bad_input;
		memcpy(&tid, thread_id, sizeof_thread_id); /* little endian */
		thread = tid > 0 && tid <= INT32_MAX ? target_thread_by_tid(t, (pid_t)tid) : NULL;
	} else {
		return ompd_rc_unsupported;
	}
	if (!thread)
		return ompd_rc_unavailable;
	ompd_thread_context_t *found = get_context(thread);

	if (!found)
		return ompd_rc_nomem;
	*thread_context = found;
	return ompd_rc_ok;
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
	.device_to_host = convert_values,
	.host_to_device = convert_values,
	.get_thread_context_for_thread_id = get_thread_context,
};

const ompd_callbacks_t *callbacks_table(void)
{
	return &table;
}
