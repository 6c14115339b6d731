/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols by which runtimes are recognised and examined. */
#ifndef OMPDD_OPENMP_RUNTIME_SYMBOL_H
#define OMPDD_OPENMP_RUNTIME_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct target;

/* Sets *@ret to whether @name is in any symbol table of the target. Errors: those of reading the target. */
MUST_USE struct error *runtime_has_symbol(struct target *t, const char *name, bool *ret);

/*
 * Finds the address of the function or variable @name in modules with file name @file (NULL: any). Returns false if it
 * does not exist, or if that cannot be determined.
 */
bool runtime_symbol(struct target *t, const char *name, const char *file, uint64_t *ret);

/* Returns the value of the variable @name of 8 bytes. *@ret: whether it was readable; if not, returns 0. */
uint64_t runtime_read_variable(struct target *t, const char *name, const char *file, bool *ret);

#endif
