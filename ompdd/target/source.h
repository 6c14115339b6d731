/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a program counter is in the program's text: module, function, file and line, and the functions that were inlined
 * there. From symbols and, where there is any, debug information.
 */
#ifndef OMPDD_TARGET_SOURCE_H
#define OMPDD_TARGET_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"

/* Functions inlined into each other that are told apart; more are left out. */
#define SOURCE_MAX_INLINED 16
/* Of a function's name or a file's path. */
#define SOURCE_MAX_TEXT 1088 /* more than demangle() takes, so that none that was cut is demangled */

struct source_place {
	char *function;	 /* owned; NULL: not known */
	char *file;	 /* owned; as the compiler was told; NULL: not known */
	int line;	 /* 0: not known */
	bool is_inlined; /* its code is part of the next place's function */
};

struct source {
	const struct target_module *module;		/* NULL: in none; of the present view */
	uint64_t function_start;			/* of the outermost place's; 0: not known */
	struct source_place places[SOURCE_MAX_INLINED]; /* innermost first */
	int n_places;					/* at least 1 */
};

/*
 * Describe @pc; @is_exact as in struct stack_frame: a return address belongs to the call before it. May be
 * called when the target runs again. Never fails: what is not known is NULL or 0. The caller calls source_deinit().
 */
void source_find(struct target *t, uint64_t pc, bool is_exact, struct source *ret);
void source_deinit(struct source *s);

#endif
