/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The source positions of constructs, as the compiler has written them into the program. They come from libraries that
 * have a routine for it (libompd/ompd-more.h). Neither stacks nor debug information are needed.
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

/* Handles of the library. All but one are NULL. */
struct location_of {
	void *thread, *parallel, *task;
};

/*
 * Asks for the source position of @object. Part of the walk. *@ret is owned by @s, or NULL if no position is known.
 * ERR_PLUGIN_MISBEHAVED, ERR_NOMEM.
 */
MUST_USE struct error *location_ask(struct plugin *p, struct snapshot *s, struct location_of object,
				    const struct snapshot_location **ret);

#endif
