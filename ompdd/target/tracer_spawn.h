/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A new ompdd-tracer process; what it is and why: tracer_main.c. */
#ifndef OMPDD_TARGET_TRACER_SPAWN_H
#define OMPDD_TARGET_TRACER_SPAWN_H

#include <sys/types.h>

#include "base/error.h"

/*
 * Start one with @sock, @board and @launch (borrowed) as its TRACER_FD_*. Returns when its program runs.
 * ERR_TRACER_FAILED.
 */
MUST_USE struct error *tracer_spawn(int sock, int board, int launch, pid_t *pid_ret);

#endif
