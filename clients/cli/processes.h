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

/* Return whether @p has the process. */
int processes_has(const struct processes *p, long pid);
/* Add a process, once. Fails with ERR_USAGE when there are too many. */
struct error *processes_add(struct processes *p, long pid);
/* Remove a process; one that @p does not have is ignored. */
void processes_remove(struct processes *p, long pid);

/*
 * Add the process with id @word, or all processes whose program or command name is @word and which the requesting
 * user may examine (root: all). Fails with ERR_ANSWER when no process matches, and with ERR_USAGE when too many do.
 * @proc is "/proc".
 */
struct error *processes_find(const char *proc, const char *word, struct processes *ret);

/* Read a file of /proc as text; @path is relative to the folder @at. Returns 0 if it is empty or cannot be read. */
int processes_read(int at, const char *path, char *text, size_t size);
/*
 * Read a stat file, as processes_read() does. Returns the fields after the name of the program, which may contain any
 * character; NULL without them. They are part of @text.
 */
const char *processes_read_stat(int at, const char *path, char *text, size_t size);

#endif
