/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What else the dynamic linker would load with a library, before any of it is loaded: constructors run at once. */
#ifndef OMPDD_OPENMP_CLOSURE_H
#define OMPDD_OPENMP_CLOSURE_H

#include "base/error.h"

/*
 * Check that the file @fd, a library at the canonical @path, is an OMPD library (it defines ompd_initialize).
 * ERR_PLUGIN_LOAD_FAILED.
 */
MUST_USE struct error *closure_check_kind(const char *path, int fd);

/*
 * Check the libraries that @path needs, those that these need and so on, and every folder that one of them has them
 * looked for in (RPATH, RUNPATH): all must be root's or ours, and nobody else may write there. What lies in no such
 * folder the linker takes from those of the system, which root has configured. ERR_PLUGIN_UNTRUSTED as vet_path().
 */
MUST_USE struct error *closure_vet(const char *path, int fd);

#endif
