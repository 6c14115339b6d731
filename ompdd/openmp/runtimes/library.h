/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the OMPD library of a runtime. */
#ifndef OMPDD_OPENMP_LIBRARY_H
#define OMPDD_OPENMP_LIBRARY_H

#include "base/error.h"

struct plugin;
struct plugin_options; /* openmp/plugin/plugin.h */
struct runtime;
struct target;

/*
 * Finds and loads the library for @target, which runs @runtime. The first choice is --libompd. The second is the
 * library that the target's ompd_dll_locations names, vetted by openmp/plugin/vet.h. A bare name that our own runtime
 * gives means our own library. The last choice is our own library, for a runtime that it reads. The function puts the
 * routines that work around the library's faults before its own. It calls only the two version routines of the library.
 * Constructors run, so the caller must have entered the guard. Errors: ERR_PLUGIN_NOT_FOUND, ERR_PLUGIN_UNTRUSTED,
 * ERR_PLUGIN_LOAD_FAILED, ERR_PLUGIN_INCOMPATIBLE, those of runtime_check_symbols() and of reading the target.
 * ERR_OPENMP_NOT_STARTED: a runtime with OMPD has not named its library yet.
 */
MUST_USE struct error *library_find(struct target *target, const struct runtime *runtime,
				    const struct plugin_options *options, struct plugin **ret);

#endif
