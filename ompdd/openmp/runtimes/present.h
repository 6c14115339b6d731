/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which OpenMP runtimes a process has, by the names and symbols of the files that it has mapped: what can be told of
 * many processes at once. For one that is a target, runtime_find() knows more.
 */
#ifndef OMPDD_OPENMP_PRESENT_H
#define OMPDD_OPENMP_PRESENT_H

#include <stdbool.h>

#include "base/error.h"

/* Of one process; more are not told. */
#define PRESENT_MAX 16

struct code_cache; /* target/code_files.h */
struct code_files;

struct present_runtime {
	const char *kind;    /* a profile's name; "unknown": one of several, which cannot be told apart by now */
	char *path;	     /* as /proc/PID/maps has it; owned; NULL: the executable */
	bool is_read_by_own; /* our own OMPD library can tell of it */
};

struct present {
	struct present_runtime runtimes[PRESENT_MAX];
	size_t n;
};

/* Look at the process whose folder in /proc @dirfd is, and which has @files mapped. */
MUST_USE struct error *present_find(struct code_cache *cache, int dirfd, const struct code_files *files,
				    struct present *ret);
void present_deinit(struct present *p);

#endif
