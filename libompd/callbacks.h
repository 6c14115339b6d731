/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tool's callback table, the library's only global, and the few forms in which the library
 * uses it. Everything that libompd knows of a target comes through here.
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

/* Every public routine but the version ones starts with this: no table, no service. */
#define REQUIRE_CALLBACKS()                                                                                            \
	do {                                                                                                           \
		if (!cb_begin())                                                                                       \
			return ompd_rc_error;                                                                          \
	} while (0)

/* True between ompd_initialize and ompd_finalize. */
bool cb_is_installed(void);
/* The same, where a routine begins: the target may have run since the last one, so what that has read is forgotten. */
bool cb_begin(void);

/* Copy @table; bad_input if a member that the library needs is missing. */
ompd_rc_t cb_install(const ompd_callbacks_t *table);
void cb_uninstall(void);

/* Zeroed memory of the tool's allocator; nomem if it gives none. cb_free(NULL) is fine. */
ompd_rc_t cb_alloc(size_t size, void **ret);
/* The same with anything in it: pages that are not touched cost nothing. */
ompd_rc_t cb_alloc_raw(size_t size, void **ret);
void cb_free(void *ptr);

/* A copy of @text in the tool's memory (what the standard lets the tool free). */
ompd_rc_t cb_strdup(const char *text, const char **ret);

/* Tell the tool's user something, in one line (20.4.5, category 0). */
__attribute__((format(printf, 1, 2))) void cb_print(const char *format, ...);

/* sizeof_type and device_to_host must describe a target as wide, and with the byte order, as we are: returns
 * incompatible otherwise. */
ompd_rc_t cb_check_device(ompd_address_space_context_t *context);

/*
 * Address of @symbol in the target; @thread for TLS, else NULL. @file restricts the search, NULL
 * searches everywhere. unavailable when there is none (whatever the tool calls that).
 */
ompd_rc_t cb_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread, const char *symbol,
		    const char *file, ompd_addr_t *ret);

/* All of @size bytes or an error; address 0 and ranges that wrap are refused here. The tool is asked once in a routine
 * (memo.h). */
ompd_rc_t cb_read(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, void *ret);

/* unsupported when the tool has no way to write. */
ompd_rc_t cb_write(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, const void *bytes);

/* At most @size - 1 bytes of a C string, always terminated; text without an end is an error. */
ompd_rc_t cb_read_string(ompd_address_space_context_t *context, ompd_addr_t address, size_t size, char *ret);

ompd_rc_t cb_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
			    const void *id, ompd_thread_context_t **ret);

#endif
