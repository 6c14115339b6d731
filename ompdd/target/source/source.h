/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the source position of a program counter: module, function, file and line, and the functions inlined there.
 * Uses symbols and, if available, debug information.
 */
#ifndef OMPDD_TARGET_SOURCE_H
#define OMPDD_TARGET_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "target/modules/modules.h"
#include "target/target.h"

/* The largest number of nested inlined functions that are reported; more are left out. */
#define SOURCE_MAX_INLINED 16
/* Size of a function's name or a file's path. */
#define SOURCE_MAX_TEXT 1088 /* longer than demangle() accepts: a name that was cut is never demangled */

struct source_place {
	char *function;	 /* owned; NULL: not known */
	char *file;	 /* owned; the compiler's argument; NULL: unknown */
	int line;	 /* 0: not known */
	bool is_inlined; /* its code is part of the next place's function */
};

struct source {
	const struct target_module *module;		/* of the present view; NULL: in no module */
	uint64_t function_start;			/* of the outermost function; 0: unknown */
	struct source_place places[SOURCE_MAX_INLINED]; /* innermost first */
	int n_places;					/* at least 1 */
};

/*
 * Describe @pc. @is_exact: see struct stack_frame; a return address belongs to the call before it. May be called when
 * the target runs again. Never fails: unknown fields are NULL or 0. The caller calls source_deinit().
 */
void source_find(struct target *t, uint64_t pc, bool is_exact, struct source *ret);
void source_deinit(struct source *s);

#endif
