/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Vets the other libraries that the dynamic linker would load with a library. That happens before the load, because
 * constructors run at once.
 */
#ifndef OMPDD_OPENMP_CLOSURE_H
#define OMPDD_OPENMP_CLOSURE_H

#include "base/error.h"

/*
 * Checks that the file @fd, a library at the canonical @path, is an OMPD library (it defines ompd_initialize). Error:
 * ERR_PLUGIN_LOAD_FAILED.
 */
MUST_USE struct error *closure_check_kind(const char *path, int fd);

/*
 * Checks all libraries that @path needs, directly or through others, and all their search folders (RPATH, RUNPATH). All
 * must belong to root or to us, and no other user may write there. The linker takes all other libraries from the
 * system's folders, which root has configured. Error: ERR_PLUGIN_UNTRUSTED, as from vet_path().
 */
MUST_USE struct error *closure_vet(const char *path, int fd);

#endif
