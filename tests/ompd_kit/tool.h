/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tool's side of OMPD: the callbacks (5.2, 20.4), which check each call of the library. */
#ifndef OMPD_KIT_TOOL_H
#define OMPD_KIT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "omp-tools.h"
#include "target.h"

/* Callbacks that a line lets fail. */
enum tool_failure {
	TOOL_FAILS_NEVER,
	TOOL_FAILS_ALLOC,
	TOOL_FAILS_SIZEOF,
	TOOL_FAILS_SYMBOL,
	TOOL_FAILS_READ,
	TOOL_FAILS_THREAD,
};

/* Serve @target from now on. */
void tool_open(const struct target *target);

/* Return the table of callbacks. */
const ompd_callbacks_t *tool_callbacks(void);

/* Return the context of the target. */
ompd_address_space_context_t *tool_context(void);

/* Let a callback fail from now on. */
void tool_fail(enum tool_failure failure);

/* Return whether @block is memory that the library allocated with the tool's callback and has not freed. */
bool tool_owns(const void *block);

/* Return whether @text is such memory and a terminated string with at least one character. */
bool tool_owns_text(const char *text);

/* Return what the library did wrong in a callback, or NULL. */
const char *tool_fault(void);

#endif
