/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts a stop: the first step of target/stop/live.c's thread. */
#ifndef OMPDD_TARGET_LIVE_STOP_H
#define OMPDD_TARGET_LIVE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct live;
struct stop_request;

/*
 * SEIZE and stop request->tids and all other threads but request->asleep. The stop has failed if l->expired or
 * l->exec_seen is set afterwards. After an error too, the caller detaches the threads in the table.
 */
MUST_USE struct error *live_stop_all(struct live *l, const struct stop_request *request);
/* Return ERR_STOP_TIMEOUT, with a thread that did not stop. */
struct error *live_stop_timeout(struct live *l, unsigned limit_ms);

bool live_any_stopped(const struct live *l);

#endif
