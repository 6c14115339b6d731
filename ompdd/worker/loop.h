/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The event loop of a worker process: requests, signals and the target's exit, one at a time. */
#ifndef OMPDD_WORKER_LOOP_H
#define OMPDD_WORKER_LOOP_H

#include "base/error.h"
#include "rpc/dispatch.h"

struct worker;

/* The limit for one request of the daemon, in bytes. The daemon's own limit for clients is smaller. */
#define LOOP_MAX_MESSAGE (4u << 20)

/*
 * Read requests (one JSON text per line) from @in and answer on @out until the end of input, SIGTERM, or
 * the answer to target.detach. SIGTERM, SIGINT, SIGHUP and SIGCHLD must be blocked by the caller. An error is the
 * loop's own failure.
 */
MUST_USE struct error *worker_loop(struct worker *w, const struct method_handler *handlers, int in, int out);

#endif
