/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread that traces a process, and its timer, for target/live. */
#ifndef OMPDD_TARGET_LIVE_THREAD_H
#define OMPDD_TARGET_LIVE_THREAD_H

#include "base/error.h"

struct live;

/* Start the thread; sets l->helper and l->timer. */
MUST_USE struct error *live_thread_begin(struct live *l);
/* End the thread. */
void live_thread_end(struct live *l);

/*
 * Detach the threads that are left in the table. They have not stopped: they are in an uninterruptible sleep (the
 * parent of a vfork), frozen, or got no processor. Ends the thread that traces them, so that the kernel detaches them,
 * and starts another. If no other thread can be started, they stay traced.
 */
void live_thread_drop_stragglers(struct live *l);

#endif
