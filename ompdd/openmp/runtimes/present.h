/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the OpenMP runtimes of a process by the names and symbols of its mapped files. This is cheap enough for many
 * processes. For a target, runtime_find() knows more.
 */
#ifndef OMPDD_OPENMP_PRESENT_H
#define OMPDD_OPENMP_PRESENT_H

#include <stdbool.h>

#include "base/error.h"

/* Runtimes of one process; further ones are not reported. */
#define PRESENT_MAX 16

struct code_cache; /* target/elf/code_files.h */
struct code_files;

struct present_runtime {
	const char *kind;    /* a descriptor's name; "unknown": one of several that cannot be distinguished yet */
	char *path;	     /* as /proc/PID/maps has it; owned; NULL: the executable */
	bool is_read_by_own; /* our own OMPD library can read it */
};

struct present {
	struct present_runtime runtimes[PRESENT_MAX];
	size_t n;
};

/* Examines the process with the /proc folder @dirfd and the mapped files @files. */
MUST_USE struct error *present_find(struct code_cache *cache, int dirfd, const struct code_files *files,
				    struct present *ret);
void present_deinit(struct present *p);

#endif
