/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OMPD library with one fault, chosen at compile time (-DEVIL_...). It is linked
 * against libompd.so: every routine without an override here is the real one.
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static const ompd_callbacks_t *callbacks;
/* Volatile, so that the compiler does not see where it points. */
static int *volatile wild __attribute__((unused)) = (int *)8;

/* Always defined: the check of the library looks for it. */
EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table)
{
	callbacks = table;
#ifdef EVIL_CRASH_INITIALIZE
	*wild = 1;
#endif
#ifdef EVIL_NOISY
	printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	fflush(stdout);
	(void)!write(STDOUT_FILENO, "noise\n", 6);
#endif
	return REAL(ompd_initialize)(version, table);
}

#ifdef EVIL_CONSTRUCTOR_EXIT
__attribute__((constructor)) static void construct(void)
{
	_exit(0);
}
#endif

#ifdef EVIL_OLD_VERSION
EXPORT ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	*version = 201511;
	return ompd_rc_ok;
}
#endif

#if defined(EVIL_CRASH) || defined(EVIL_ABORT) || defined(EVIL_EXIT) || defined(EVIL_HANG) || defined(EVIL_SLEEP) || \
	defined(EVIL_NULL_HANDLE) || defined(EVIL_WILD_RC) || defined(EVIL_STACK) || defined(EVIL_KILL)
#ifdef EVIL_STACK
static int recurse(volatile int *p)
{
	volatile int here[256] = {*p};
	return recurse(here) + here[1];
}
#endif

EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind, ompd_size_t size,
					const void *id, ompd_thread_handle_t **thread)
{
	(void)handle, (void)kind, (void)size, (void)id, (void)thread;
#if defined(EVIL_CRASH)
	*wild = 1;
#elif defined(EVIL_ABORT)
	abort();
#elif defined(EVIL_KILL)
	raise(SIGKILL);
#elif defined(EVIL_EXIT)
	exit(0);
#elif defined(EVIL_STACK)
	volatile int one = 1;
	return (ompd_rc_t)recurse(&one);
#elif defined(EVIL_HANG)
	for (;;)
		__asm__ volatile("");
#elif defined(EVIL_SLEEP)
	for (;;)
		pause();
#elif defined(EVIL_NULL_HANDLE)
	*thread = NULL;
	return ompd_rc_ok;
#elif defined(EVIL_WILD_RC)
	return (ompd_rc_t)77;
#endif
	return ompd_rc_error;
}
#endif

#ifdef EVIL_NO_REGIONS
/* This is not a fault: a library may not know the region. */
EXPORT ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread, ompd_parallel_handle_t **region)
{
	(void)thread, (void)region;
	return ompd_rc_unavailable;
}
#endif

#ifdef EVIL_ENDLESS_ICVS
EXPORT ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current, ompd_icv_id_t *next,
				     const char **name, ompd_scope_t *scope, int *more)
{
	ompd_rc_t rc = REAL(ompd_enumerate_icvs)(handle, 0, next, name, scope, more);

	*next = current + 1;
	*more = 1;
	return rc;
}
#endif

#ifdef EVIL_ENDLESS_STATES
EXPORT ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *handle, ompd_word_t current, ompd_word_t *next,
				       const char **name, ompd_word_t *more)
{
	ompd_rc_t rc = REAL(ompd_enumerate_states)(handle, 0x102, next, name, more);

	*next = current + 1;
	*more = 1;
	return rc;
}
#endif

#ifdef EVIL_CIRCLE
static ompd_thread_handle_t *some_thread;

EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind, ompd_size_t size,
					const void *id, ompd_thread_handle_t **thread)
{
	ompd_rc_t rc = REAL(ompd_get_thread_handle)(handle, kind, size, id, thread);

	if (rc == ompd_rc_ok && !some_thread) /* a second handle, never released */
		rc = REAL(ompd_get_thread_handle)(handle, kind, size, id, &some_thread);
	return rc;
}

EXPORT ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel, ompd_parallel_handle_t **enclosing)
{
	(void)parallel;
	return REAL(ompd_get_curr_parallel_handle)(some_thread, enclosing);
}

EXPORT ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task, ompd_task_handle_t **generating)
{
	(void)task;
	return REAL(ompd_get_curr_task_handle)(some_thread, generating);
}
#endif

#ifdef EVIL_BAD_STRINGS
/* Not UTF-8, and longer than any valid value. */
EXPORT ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, const char **string)
{
	char *text;

	(void)handle, (void)scope, (void)id;
	if (callbacks->alloc_memory(100001, (void **)&text) != ompd_rc_ok)
		return ompd_rc_nomem;
	memset(text, 0xff, 100000);
	text[100000] = '\0';
	*string = text;
	return ompd_rc_ok;
}
#endif

#ifdef EVIL_WILD_VALUES
EXPORT ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id, ompd_word_t *value)
{
	(void)handle, (void)scope, (void)id;
	*value = (ompd_word_t)0x7fffffffffffffff;
	return ompd_rc_ok;
}
#endif

#ifdef EVIL_GREEDY
/* Make impossible requests to the host. Fails only when the host answers as if they were possible. */
EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **handle)
{
	char byte;
	void *memory;
	ompd_address_t address = {0, 0x1000};
	const char *string = &byte;
	char *text = NULL;

	(void)string, (void)text;
	if (callbacks->alloc_memory((ompd_size_t)1 << 60, &memory) == ompd_rc_ok ||
	    callbacks->read_memory(context, NULL, &address, (ompd_size_t)1 << 60, &byte) == ompd_rc_ok ||
	    callbacks->read_memory(context, NULL, NULL, 1, &byte) == ompd_rc_ok ||
	    callbacks->read_memory(context, NULL, &address, 1, NULL) == ompd_rc_ok ||
	    callbacks->read_memory(context, NULL, &address, 1, &byte) == ompd_rc_ok ||
	    callbacks->read_memory(NULL, NULL, &address, 1, &byte) == ompd_rc_ok ||
	    callbacks->write_memory(context, NULL, &address, 1, &byte) == ompd_rc_ok ||
	    callbacks->symbol_addr_lookup(context, NULL, NULL, &address, NULL) == ompd_rc_ok ||
	    callbacks->alloc_memory(1, NULL) == ompd_rc_ok)
		return ompd_rc_error;
	return REAL(ompd_process_initialize)(context, handle);
}
#endif

#ifdef EVIL_DOUBLE_FREE
EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context, ompd_address_space_handle_t **handle)
{
	void *memory;

	if (callbacks->alloc_memory(100, &memory) == ompd_rc_ok) {
		callbacks->free_memory(memory);
		callbacks->free_memory(memory);
	}
	callbacks->free_memory((void *)context);
	return REAL(ompd_process_initialize)(context, handle);
}
#endif
