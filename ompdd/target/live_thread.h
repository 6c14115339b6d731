/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread that traces, with its timer. For target/live. */
#ifndef OMPDD_TARGET_LIVE_THREAD_H
#define OMPDD_TARGET_LIVE_THREAD_H

#include "base/error.h"

struct live;

/* Start the thread: l->stopper and l->timer. */
MUST_USE struct error *live_thread_begin(struct live *l);
/* End it. */
void live_thread_end(struct live *l);

/*
 * If threads are left in the table, end the thread that traces them and start another: with its end the kernel detaches
 * them all. These are threads that have not come to their stop, because they sleep where nothing interrupts them (the
 * parent of a vfork), are frozen, or got no processor. If no other thread can be started, they stay.
 */
void live_thread_drop_stragglers(struct live *l);

#endif
