/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds functions by linker name or by their name in the source. */
#ifndef OMPDD_TARGET_FUNCTIONS_H
#define OMPDD_TARGET_FUNCTIONS_H

#include "target/target.h"

/*
 * Addresses of one function: its variants (constructors) and its copies in several modules. More are
 * ERR_LIMIT_EXCEEDED.
 */
#define FUNCTIONS_MAX 64
/* The largest number of mangled names that one search examines. */
#define FUNCTIONS_MAX_NAMES 100000

struct functions {
	uint64_t addresses[FUNCTIONS_MAX];
	size_t n;
};

/*
 * Find the function @name: a symbol, or a C++ function as demangle() writes it. Spaces do not matter. Parameters,
 * return type and the last template arguments may be omitted if only one function matches. Call it within a view.
 * ERR_SYMBOL_NOT_FOUND (also for a variable), ERR_AMBIGUOUS_NAME (names some of the functions), ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *functions_find(struct target *t, const char *name, struct functions *ret);

#endif
