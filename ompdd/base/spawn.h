/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A child process that is to become another program, without libuv, which would reap for itself. */
#ifndef OMPDD_BASE_SPAWN_H
#define OMPDD_BASE_SPAWN_H

#include <sys/types.h>

#include "base/error.h"

struct spawn {
	const char *path;     /* of the program, for the message */
	enum error_code code; /* of the error when it does not start */
	const char *hint;     /* when the program cannot be executed; NULL: the code's default */
	/*
	 * Called in the child, with no signal blocked and no handler of ours left: it calls execve(). When it comes
	 * back, errno says why. In a process with threads nothing but async-signal-safe calls is allowed.
	 */
	void (*become)(const void *arg);
	const void *arg;
};

/* Start the child and wait until its program runs: a missing program is then a clear error. The caller reaps it. */
MUST_USE struct error *spawn_program(const struct spawn *s, pid_t *pid_ret);

/*
 * The same without waiting: *@status_ret, which the caller closes, is for spawn_failed() once the child is reaped.
 */
MUST_USE struct error *spawn_begin(const struct spawn *s, pid_t *pid_ret, int *status_ret);

/* Why the program of a reaped child did not start; NULL: it did. Of @s become and arg do not matter. */
MUST_USE struct error *spawn_failed(const struct spawn *s, int status);

#endif
