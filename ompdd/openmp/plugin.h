/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The hosted OMPD library: which one, whether it may be loaded, its routines. Called by
 * openmp/model and by methods/ompd_*.c (one to one). One library per process.
 */
#ifndef OMPDD_OPENMP_PLUGIN_H
#define OMPDD_OPENMP_PLUGIN_H

/* agreed (struct plugin_options; the rest is the owner's) */
#include "base/error.h"

#define PLUGIN_MAX_DIRS 16

struct plugin_options {
	const char *libompd;                /* --libompd PATH: this one, no other; NULL: find it */
	const char *own_libompd;            /* where our own libompd.so is (beside the worker's install) */
	const char *dirs[PLUGIN_MAX_DIRS];  /* --plugin-dir DIR: allowed for paths that the target names */
	int n_dirs;
	unsigned timeout_ms;                /* one request may spend this long in the library */
};

#endif
