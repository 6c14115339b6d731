/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions by the name that people give them: the linker's, or that of the source. */
#ifndef OMPDD_TARGET_FUNCTIONS_H
#define OMPDD_TARGET_FUNCTIONS_H

#include "target/target.h"

/* Addresses of one function: of its variants (constructors), of its copies in several modules. More are
 * ERR_LIMIT_EXCEEDED. */
#define FUNCTIONS_MAX 64
/* Mangled names that one search looks at. */
#define FUNCTIONS_MAX_NAMES 100000

struct functions {
	uint64_t addresses[FUNCTIONS_MAX];
	size_t n;
};

/*
 * The function @name: a symbol, or a C++ function as demangle() writes it, where spaces do not matter and parameters,
 * return type and the last template arguments may be left out if that leaves one function only. To be called within a
 * view. ERR_SYMBOL_NOT_FOUND (also for a variable), ERR_AMBIGUOUS_NAME (names some of them), ERR_LIMIT_EXCEEDED.
 */
MUST_USE struct error *functions_find(struct target *t, const char *name, struct functions *ret);

#endif
