/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts an ompdd-tracer process; its purpose: tracer_main.c. */
#ifndef OMPDD_TARGET_TRACER_SPAWN_H
#define OMPDD_TARGET_TRACER_SPAWN_H

#include <sys/types.h>

#include "base/error.h"

/* The worker's ends of a new tracer. */
struct tracer_ends {
	pid_t pid;
	int socket; /* owned by the caller, like `board` */
	int board;  /* for reading */
};

/*
 * Start a tracer that launches the program described by @launch (a descriptor, borrowed) or, if that is -1, one that
 * may trace only process @pid. Return when its program runs. The caller reaps it. ERR_TRACER_FAILED.
 */
MUST_USE struct error *tracer_spawn(int launch, pid_t pid, struct tracer_ends *ret);

#endif
