/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding the OMPD library of a runtime. */
#ifndef OMPDD_OPENMP_LIBRARY_H
#define OMPDD_OPENMP_LIBRARY_H

#include "base/error.h"

struct plugin;
struct plugin_options; /* openmp/plugin/plugin.h */
struct runtime;
struct target;

/*
 * Find the library for @target, which runs @runtime, and load it: --libompd, else what the target's ompd_dll_locations
 * names (vetted, openmp/plugin/vet.h; a bare name that our own runtime gives is our own), else, or where that cannot be
 * had, our own for a runtime that it reads. Puts the routines that work around the library's faults before its own.
 * Calls none of its routines but the two version ones. The guard must be entered: constructors run.
 * ERR_PLUGIN_NOT_FOUND, ERR_PLUGIN_UNTRUSTED, ERR_PLUGIN_LOAD_FAILED, ERR_PLUGIN_INCOMPATIBLE, ERR_OPENMP_NOT_STARTED
 * (a runtime with OMPD that has not named its library yet), or those of runtime_check_symbols() and of reading the
 * target.
 */
MUST_USE struct error *library_find(struct target *target, const struct runtime *runtime,
				    const struct plugin_options *options, struct plugin **ret);

#endif
