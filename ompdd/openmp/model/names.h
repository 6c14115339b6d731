/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The regions and tasks that one walk meets, each put into the snapshot once, with a handle of the client as its name.
 */
#ifndef OMPDD_OPENMP_NAMES_H
#define OMPDD_OPENMP_NAMES_H

#include <stdint.h>

#include "base/error.h"
#include "openmp/model/snapshot.h"

struct handles;

struct names {
	struct handles *handles;
	unsigned runtime;
	int64_t client;
	struct snapshot *s;
	uint64_t serial; /* of the walk: names_init() */
};

/* For objects of runtime number @runtime. */
void names_init(struct names *names, struct handles *handles, unsigned runtime, int64_t client, struct snapshot *s);

/* ERR_PLUGIN_MISBEHAVED when @routine returned @rc and @object, and that makes no sense. */
MUST_USE struct error *names_check(int rc, const void *object, const char *routine);

/* A reference to nothing, because of @rc. */
struct snapshot_ref names_none(int rc);

/*
 * What @routine returned, @rc and @object, as a reference *@ret; the object is added to the snapshot if
 * this walk has not met it yet. Takes ownership of @object. Where there are too many objects, or @depth is over
 * MODEL_MAX_DEPTH, the reference is ompd_rc_incomplete and the snapshot truncated. ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *names_add_parallel(struct names *names, int rc, TAKES void *object, unsigned depth,
					  const char *routine, struct snapshot_ref *ret);
MUST_USE struct error *names_add_task(struct names *names, int rc, TAKES void *object, unsigned depth,
				      const char *routine, struct snapshot_ref *ret);

#endif
