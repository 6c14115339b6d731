/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts an ompdd-tracer process; its purpose: tracer_main.c. */
#ifndef OMPDD_TARGET_TRACER_SPAWN_H
#define OMPDD_TARGET_TRACER_SPAWN_H

#include "target/broker.h"

#define TRACER_BOARD_SIZE (TARGET_MAX_THREADS * sizeof(struct tracer_board_thread))

/*
 * Start a tracer that launches the program described by @launch (a descriptor, borrowed) or, if that is -1, one that
 * may trace only process @pid. Return when its program runs. The caller reaps it. ERR_TRACER_FAILED.
 */
MUST_USE struct error *tracer_spawn(int launch, pid_t pid, struct broker_tracer *ret);

#endif
