/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hosted OMPD library: loading it, its routines. Which one it is to be is found by openmp/runtimes/library. */
#ifndef OMPDD_OPENMP_PLUGIN_H
#define OMPDD_OPENMP_PLUGIN_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

#define PLUGIN_MAX_DIRS 16

/* OMPD API versions that we speak: OpenMP 5.0 to 6.0. */
#define PLUGIN_MIN_VERSION 201811
#define PLUGIN_MAX_VERSION 202411

struct plugin_options {
	const char *libompd;		   /* --libompd PATH: this one, no other; NULL: find it */
	const char *own_libompd;	   /* where our own libompd.so is (beside the worker's install) */
	const char *dirs[PLUGIN_MAX_DIRS]; /* --plugin-dir DIR: allowed for paths that the target names */
	int n_dirs;
	unsigned timeout_ms; /* one request may spend this long in the library */
};

struct ompd_routines;
struct plugin; /* its routines: openmp/plugin/ompd.h */

/*
 * Load the library that @fd is open on (@fd >= 0), so that the checked file is the loaded one, or that
 * @path names (@fd -1). @path is what we call it from now on. Does not close @fd. A file that is loaded already, and
 * not let go of, is loaded once more from a copy: OMPD libraries have their state in variables. ERR_PLUGIN_LOAD_FAILED
 * (does not load, lacks routines), ERR_PLUGIN_INCOMPATIBLE.
 */
MUST_USE struct error *plugin_load(const char *path, int fd, struct plugin **ret);

/* ERR_PLUGIN_LOAD_FAILED: the library @path, and why. */
MUST_USE struct error *plugin_load_failed(const char *path, const char *reason);

/* Have @apply replace routines of the library's, once; @names are its faults that are worked around with that, a
 * literal that ends with NULL. */
void plugin_correct(struct plugin *p, void (*apply)(struct ompd_routines *), const char *const *names);

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
