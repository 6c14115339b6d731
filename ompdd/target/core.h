/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A core file as a target: what core_open.c makes and core.c operates on. */
#ifndef OMPDD_TARGET_CORE_H
#define OMPDD_TARGET_CORE_H

#include "target/core_files.h"
#include "target/core_lacks.h"
#include "target/core_memory.h"
#include "target/core_notes.h"
#include "target/target_ops.h"

struct modules;
struct tls_reader;

struct core {
	struct target base;
	int fd; /* of the core, unpacked if need be */
	uint64_t size;
	struct target_core about;
	char *path; /* these are what the fields above borrow */
	char *exe;
	char *sysroot;
	char **debug_dirs;
	size_t n_debug_dirs;
	struct core_memory memory;
	struct core_notes notes;
	struct core_files files;
	struct core_lacks lacks;
	struct modules *modules;
	struct tls_reader *tls;
};

static inline struct core *core_of(struct target *t)
{
	return (struct core *)t;
}

/*
 * Open @path as a core: fill fd, size, memory and notes of @c, which is all zeroes but for fd -1. What was filled stays
 * on error. Adds warnings to c->base.
 */
MUST_USE struct error *core_open(struct core *c, const char *path, uint64_t space);

#endif
