/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The hosted OMPD library: which one, whether it may be loaded, its routines. Called by
 * openmp/model/model and by methods/ompd_*.c (one to one). One library per process.
 */
#ifndef OMPDD_OPENMP_PLUGIN_H
#define OMPDD_OPENMP_PLUGIN_H

/* agreed (struct plugin_options; the rest is the owner's) */
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PLUGIN_MAX_DIRS 16

/* OMPD API versions that we speak: OpenMP 5.0 to 6.0. */
#define PLUGIN_MIN_VERSION 201811
#define PLUGIN_MAX_VERSION 202411

struct plugin_options {
	const char *libompd;                /* --libompd PATH: this one, no other; NULL: find it */
	const char *own_libompd;            /* where our own libompd.so is (beside the worker's install) */
	const char *dirs[PLUGIN_MAX_DIRS];  /* --plugin-dir DIR: allowed for paths that the target names */
	int n_dirs;
	unsigned timeout_ms;                /* one request may spend this long in the library */
};

struct target;
struct runtime; /* openmp/runtimes/runtime.h */
struct plugin;  /* its routines: openmp/plugin/ompd.h */

/*
 * Find the library for @target, which runs @runtime, and load it: --libompd, else what the target's ompd_dll_locations
 * names (vetted, openmp/plugin/vet.h; a bare name that our own runtime gives is our own), else our own for a libgomp. Calls none of its routines but the two
 * version ones. The guard must be entered: constructors run. ERR_PLUGIN_NOT_FOUND, ERR_PLUGIN_UNTRUSTED, ERR_PLUGIN_LOAD_FAILED,
 * ERR_PLUGIN_INCOMPATIBLE, ERR_OPENMP_NOT_STARTED (a runtime with OMPD that has not named its library yet), or those of runtime_check_symbols() and of reading the target.
 */
MUST_USE struct error *plugin_find(struct target *target, const struct runtime *runtime,
				   const struct plugin_options *options, struct plugin **ret);

/*
 * Load the library that @fd is open on (@fd >= 0), so that the checked file is the loaded one, or that
 * @path names (@fd -1). @path is what we call it from now on. Does not close @fd. ERR_PLUGIN_LOAD_FAILED (does not load, lacks
 * routines), ERR_PLUGIN_INCOMPATIBLE.
 */
MUST_USE struct error *plugin_load(const char *path, int fd, struct plugin **ret);

/* Let go of it (it stays mapped). Its handles and blocks must be gone. */
void plugin_destroy(struct plugin *p);
CLEANUP_DEFINE(plugin, struct plugin *, plugin_destroy)

const char *plugin_path(const struct plugin *p);
int64_t plugin_api_version(const struct plugin *p);
const char *plugin_version_string(const struct plugin *p);
/* Names of the library's faults that are worked around; ends with NULL. */
const char *const *plugin_quirks(const struct plugin *p);
bool plugin_has_quirk(const struct plugin *p, const char *name);

#endif
