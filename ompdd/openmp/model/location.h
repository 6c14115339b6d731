/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where constructs are in the program's source, as its compiler has written that into the program: from libraries that
 * have a routine for it (libompd/ompd-more.h). It needs neither stacks nor debug information.
 */
#ifndef OMPDD_OPENMP_LOCATION_H
#define OMPDD_OPENMP_LOCATION_H

#include "base/error.h"

struct plugin;
struct snapshot;

struct snapshot_location {
	const char *file, *function;
	int line, column; /* column 0: not known */
};

/* Handles of the library of which all but one are NULL. */
struct location_of {
	void *thread, *parallel, *task;
};

/* Part of the walk. *@ret, of @s, is NULL where nothing is known. ERR_PLUGIN_MISBEHAVED, ERR_NOMEM. */
MUST_USE struct error *location_ask(struct plugin *p, struct snapshot *s, struct location_of object,
				    const struct snapshot_location **ret);

#endif
