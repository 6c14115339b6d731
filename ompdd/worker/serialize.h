/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Making the next regions of the target have a team of one thread, where the runtime has a word for that. It is one
 * connection's at a time, and ends with it.
 */
#ifndef OMPDD_WORKER_SERIALIZE_H
#define OMPDD_WORKER_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct worker;

struct serialize {
	uint64_t address; /* of the word; 0: nothing is asked for */
	int64_t client;
	pid_t tid; /* whose regions; 0: any thread's */
};

/*
 * The next @n regions with several threads, of thread @tid or, 0, of any, get a team of one; in place of what
 * w->client asked for before; 0: of none. ERR_SERIALIZE_UNAVAILABLE (another runtime; another connection's is not
 * over), ERR_NO_OPENMP_RUNTIME, ERR_MODE_UNSUPPORTED, ERR_TARGET_HELD, those of target_change_begin().
 */
MUST_USE struct error *serialize_set(struct worker *w, uint32_t n, pid_t tid);
/* How many are still to come; 0 also when that cannot be read. */
uint32_t serialize_left(struct worker *w);
/* The target is about to run on: what is over needs no tracer. */
void serialize_settle(struct worker *w);
/* Connection @client is gone. */
void serialize_client_gone(struct worker *w, int64_t client);
/* The target is left, and stopped for it. */
void serialize_end(struct worker *w);
/* It is gone, or is another program. */
void serialize_forget(struct worker *w);

#endif
