/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Worker processes: starts them, talks to them over a socketpair, and reaps them. */
#ifndef OMPDD_SERVER_WORKER_PROC_H
#define OMPDD_SERVER_WORKER_PROC_H

#include <stdint.h>

#include "session/session.h"

struct server;

/* The session's interface to workers; the context is the struct server. */
extern const struct worker_ops worker_proc_ops;

/* Reap workers after SIGCHLD. */
void worker_proc_reap_all(struct server *s);

/* Signal the workers that do not end. Returns true if there are more to watch. */
bool worker_proc_tick_all(struct server *s, int64_t now);

#endif
