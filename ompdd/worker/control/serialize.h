/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Give the next regions of the target a team of one thread, where the runtime has a word for that. One connection at a
 * time can request it, and the request ends with the connection.
 */
#ifndef OMPDD_WORKER_SERIALIZE_H
#define OMPDD_WORKER_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct worker;

/*
 * Give the next @n regions with several threads a team of one. @tid: only regions of this thread; 0: of any thread.
 * Replaces the earlier request of w->client; @n 0 cancels it. ERR_SERIALIZE_UNAVAILABLE (another runtime, or another
 * connection's request is pending), ERR_NO_OPENMP_RUNTIME, ERR_MODE_UNSUPPORTED, ERR_TARGET_HELD, errors of
 * target_change_begin().
 */
MUST_USE struct error *serialize_set(struct worker *w, uint32_t n, pid_t tid);
/* Return the number of regions still to come; 0 also when the word cannot be read. */
uint32_t serialize_left(struct worker *w);
/* Clear the request if no regions are left, before the target resumes: a finished request needs no tracer. */
void serialize_settle(struct worker *w);
/* Cancel the request of the closed connection @client. */
void serialize_client_gone(struct worker *w, int64_t client);
/* Cancel the request before the target is detached. The target is stopped. */
void serialize_end(struct worker *w);
/* Drop the request: the target has exited, or runs another program. */
void serialize_forget(struct worker *w);

#endif
