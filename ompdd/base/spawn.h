/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts another program in a child process. Does not use libuv, which would reap the child itself. */
#ifndef OMPDD_BASE_SPAWN_H
#define OMPDD_BASE_SPAWN_H

#include <sys/types.h>

#include "base/error.h"

struct spawn {
	const char *path;     /* of the program, for the message */
	enum error_code code; /* error code if it does not start */
	const char *hint;     /* if the program cannot be executed; NULL: the code's default */
	/*
	 * Called in the child, without blocked signals and without our handlers: it calls execve(). If it returns,
	 * errno has the reason. In a process with threads it may only use async-signal-safe functions.
	 */
	void (*become)(const void *arg);
	const void *arg;
};

/*
 * Start the child and wait until its program runs, so that a missing program is a clear error. The caller reaps the
 * child.
 */
MUST_USE struct error *spawn_program(const struct spawn *s, pid_t *pid_ret);

/* The same without waiting. The caller closes *@status_ret, which is for spawn_failed() after the child is reaped. */
MUST_USE struct error *spawn_begin(const struct spawn *s, pid_t *pid_ret, int *status_ret);

/* Return why the program of a reaped child did not start; NULL: it started. Ignores become and arg of @s. */
MUST_USE struct error *spawn_failed(const struct spawn *s, int status);

#endif
