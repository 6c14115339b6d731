/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which processes -p names. */
#ifndef OMPDD_CLI_PROCESSES_H
#define OMPDD_CLI_PROCESSES_H

#include <stddef.h>

#include "failure.h"

#define PROCESSES_MAX 256

struct processes {
	long pids[PROCESSES_MAX]; /* ascending for one name; none twice */
	size_t n;
};

/*
 * Add the process whose id @word is, or all that the asking user may look at (root: all) whose program or command name
 * it is. EXIT_USAGE when there is none, or are too many. @proc is "/proc".
 */
struct failure *processes_find(const char *proc, const char *word, struct processes *ret);

#endif
