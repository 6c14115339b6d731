/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Resolution of the names and ids that -p gives. */
#ifndef OMPDD_CLI_PROCESSES_H
#define OMPDD_CLI_PROCESSES_H

#include <stddef.h>

#include "failure.h"

#define PROCESSES_MAX 256

struct processes {
	long pids[PROCESSES_MAX]; /* ascending for one name; no duplicates */
	size_t n;
};

/*
 * Add the process with id @word, or all processes whose program or command name is @word and which the requesting
 * user may examine (root: all). Fails with EXIT_USAGE when no process matches, or too many. @proc is "/proc".
 */
struct failure *processes_find(const char *proc, const char *word, struct processes *ret);

#endif
