/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tool's callback table, which is the library's only global, and wrappers for its calls. All
 * data about a target comes through these functions.
 */
#ifndef OMPDD_LIBOMPD_CALLBACKS_H
#define OMPDD_LIBOMPD_CALLBACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"

/* Return on the first return code that is not ok. */
#define RC_TRY(expr)                                                                                                   \
	do {                                                                                                           \
		ompd_rc_t rc_try = (expr);                                                                             \
		if (rc_try != ompd_rc_ok)                                                                              \
			return rc_try;                                                                                 \
	} while (0)

/* Start a public routine: return an error without a callback table. The version routines do not need it. */
#define REQUIRE_CALLBACKS()                                                                                            \
	do {                                                                                                           \
		if (!cb_begin())                                                                                       \
			return ompd_rc_error;                                                                          \
	} while (0)

/* True between ompd_initialize and ompd_finalize. */
bool cb_is_installed(void);
/*
 * Start a routine: clear the cache of the target's memory, because the target may have run
 * (memo.h). Returns cb_is_installed().
 */
bool cb_begin(void);

/* Copy @table. Returns bad_input if a required member is missing. */
ompd_rc_t cb_install(const ompd_callbacks_t *table);
void cb_uninstall(void);

/*
 * Allocate zeroed memory with the tool's allocator. Returns nomem if the tool returns NULL.
 * cb_free(NULL) does nothing.
 */
ompd_rc_t cb_alloc(size_t size, void **ret);
/* Allocate memory that is not zeroed: pages that are never touched cost nothing. */
ompd_rc_t cb_alloc_raw(size_t size, void **ret);
void cb_free(void *ptr);

/*
 * Grow an array of the tool's memory for @more elements of @size bytes after its first @n elements.
 * @array: the address of the pointer to it. *@room: the number of elements that it has room for.
 */
ompd_rc_t cb_reserve(void *array, size_t *room, size_t n, size_t more, size_t size);

/* Copy @text to the tool's memory. The standard lets the tool free such a copy. */
ompd_rc_t cb_strdup(const char *text, const char **ret);

/* Print one line to the tool's user (20.4.5, category 0). */
__attribute__((format(printf, 1, 2))) void cb_print(const char *format, ...);

/*
 * Check with sizeof_type and device_to_host that the target has the type sizes and byte order of
 * this process. Returns incompatible otherwise.
 */
ompd_rc_t cb_check_device(ompd_address_space_context_t *context);

/*
 * Find the address of @symbol in the target. @thread is set for a thread-local variable, else NULL.
 * @file restricts the search; NULL searches everywhere. Returns unavailable for every failure,
 * whatever code the tool returns.
 */
ompd_rc_t cb_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *symbol,
		    const char *file, ompd_addr_t *ret);

/*
 * Read all @size bytes, or return an error. Address 0 and ranges that wrap are device_read_error. A
 * routine does not read the same bytes twice (memo.h).
 */
ompd_rc_t cb_read(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret);

/* Write all @size bytes. Returns unsupported if the tool has no callback for writing. */
ompd_rc_t cb_write(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes);

/*
 * Read a C string of at most @size - 1 bytes. @ret is always terminated; a string without an end is
 * an error.
 */
ompd_rc_t cb_read_string(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, char *ret);

ompd_rc_t cb_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
			    const void *id, ompd_thread_context_t **ret);

#endif
