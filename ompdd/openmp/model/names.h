/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The regions and tasks that one walk encounters. Each is put into the snapshot once, named by a handle of the client.
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
	uint64_t serial; /* of the walk, set by names_init() */
};

/* Prepares @names for objects of runtime number @runtime. */
void names_init(struct names *names, struct handles *handles, unsigned runtime, int64_t client, struct snapshot *s);

/* Checks that @rc and @object, returned by @routine, are consistent. ERR_PLUGIN_MISBEHAVED. */
MUST_USE struct error *names_check(int rc, const void *object, const char *routine);

/* Returns an empty reference with the code @rc. */
struct snapshot_ref names_none(int rc);

/*
 * Converts @rc and @object, returned by @routine, to the reference *@ret. Adds the object to the snapshot if it is new
 * in this walk. Takes ownership of @object. With too many objects, or a @depth over MODEL_MAX_DEPTH, the reference is
 * ompd_rc_incomplete and the snapshot truncated. ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *names_add_parallel(struct names *names, int rc, TAKES void *object, unsigned depth,
					  const char *routine, struct snapshot_ref *ret);
MUST_USE struct error *names_add_task(struct names *names, int rc, TAKES void *object, unsigned depth,
				      const char *routine, struct snapshot_ref *ret);

#endif
