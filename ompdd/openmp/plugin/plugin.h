/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hosted OMPD library: its loading and its routines. openmp/runtimes/library chooses the library. */
#ifndef OMPDD_OPENMP_PLUGIN_H
#define OMPDD_OPENMP_PLUGIN_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PLUGIN_MAX_DIRS 16

/* OMPD API versions that are supported: OpenMP 5.0 to 6.0. */
#define PLUGIN_MIN_VERSION 201811
#define PLUGIN_MAX_VERSION 202411

struct plugin_options {
	const char *libompd;		   /* --libompd PATH: only this library; NULL: find it */
	const char *own_libompd;	   /* path of our own libompd.so (beside the worker's install) */
	const char *dirs[PLUGIN_MAX_DIRS]; /* --plugin-dir DIR: allowed for paths that the target names */
	int n_dirs;
	unsigned timeout_ms; /* limit for the time of one request in the library */
};

struct ompd_routines;
struct plugin; /* its routines: openmp/plugin/ompd.h */

/*
 * Loads the library that @fd is open on, so that the checked file is the loaded one. With @fd -1 it loads the library
 * at @path. @path is its name from now on. Does not close @fd. A loaded file that has not been destroyed is loaded
 * again from a copy: OMPD libraries keep their state in variables. Errors: ERR_PLUGIN_LOAD_FAILED (does not load, lacks
 * routines), ERR_PLUGIN_INCOMPATIBLE.
 */
MUST_USE struct error *plugin_load(const char *path, int fd, struct plugin **ret);

/* Returns ERR_PLUGIN_LOAD_FAILED with the library @path and @reason. */
MUST_USE struct error *plugin_load_failed(const char *path, const char *reason);

/*
 * Makes @apply replace routines of the library, once. @names lists the faults that this works around: a literal that
 * ends with NULL.
 */
void plugin_correct(struct plugin *p, void (*apply)(struct ompd_routines *), const char *const *names);

/* Destroys @p; the library stays mapped. The caller must have freed its handles and blocks. */
void plugin_destroy(struct plugin *p);
CLEANUP_DEFINE(plugin, struct plugin *, plugin_destroy)

const char *plugin_path(const struct plugin *p);
int64_t plugin_api_version(const struct plugin *p);
const char *plugin_version_string(const struct plugin *p);
/* Returns the names of the library's faults that are worked around; ends with NULL. */
const char *const *plugin_quirks(const struct plugin *p);
bool plugin_has_quirk(const struct plugin *p, const char *name);

#endif
