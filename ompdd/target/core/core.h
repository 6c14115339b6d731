/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A core file as a target: created by core_open.c, used by core.c. */
#ifndef OMPDD_TARGET_CORE_H
#define OMPDD_TARGET_CORE_H

#include "target/core/core_files.h"
#include "target/core/core_lacks.h"
#include "target/core/core_memory.h"
#include "target/core/core_notes.h"
#include "target/target_ops.h"

struct core {
	struct target base;
	int fd; /* the core, unpacked if necessary */
	uint64_t size;
	struct target_core about;
	char *path; /* the fields above borrow these */
	char *exe;
	char *sysroot;
	char **debug_dirs;
	size_t n_debug_dirs;
	struct core_memory memory;
	struct core_notes notes;
	struct core_files files;
	struct core_lacks lacks;
};

static inline struct core *core_of(struct target *t)
{
	return (struct core *)t;
}

/*
 * Open @path as a core: fill fd, size, memory and notes of @c, which is all zeroes but for fd -1. After an error the
 * fields filled so far stay. Adds warnings to c->base.
 */
MUST_USE struct error *core_open(struct core *c, const char *path, uint64_t space);

#endif
