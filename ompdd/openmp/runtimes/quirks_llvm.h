/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Known faults of LLVM's OMPD library (releases 15 to 22) and how they are worked around: all in one place. openmp/plugin/plugin
 * puts these routines before the library's when it says that it is LLVM's; results name them as plugin.quirks.
 */
#ifndef OMPDD_OPENMP_QUIRKS_LLVM_H
#define OMPDD_OPENMP_QUIRKS_LLVM_H

#include <stdbool.h>

struct ompd_routines;

/* Whether ompd_get_version_string() gave LLVM's text. */
bool quirks_llvm_is_needed(const char *version_string);

/* Replace routines of the table. One library per process. */
void quirks_llvm_apply(struct ompd_routines *routines);

/* What is worked around; ends with NULL. */
extern const char *const quirks_llvm_names[];

#endif
