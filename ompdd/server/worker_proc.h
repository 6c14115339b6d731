/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Worker processes: started, spoken to over a socketpair, and reaped. */
#ifndef OMPDD_SERVER_WORKER_PROC_H
#define OMPDD_SERVER_WORKER_PROC_H

#include <stdint.h>

#include "session/session.h"

struct server;

/* The session's way to workers; the context is the struct server. */
extern const struct worker_ops worker_proc_ops;

/* SIGCHLD has come. */
void worker_proc_reap_all(struct server *s);

/* Press those that do not end; whether there are more to watch. */
bool worker_proc_tick_all(struct server *s, int64_t now);

#endif
