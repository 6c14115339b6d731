/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ^C, SIGTERM and the end of the terminal in commands that have something to do before they exit: detach what a running
 * ompdd has attached for this command, or write what was recorded. Signals that are ignored (nohup) stay ignored.
 */
#ifndef OMPDD_CLI_INTERRUPT_H
#define OMPDD_CLI_INTERRUPT_H

#include <stdint.h>

#include "conn.h"

/* From now on these signals end the waiting on @c, until @c->interrupted is set to NULL, and nothing else. */
void interrupt_catch(struct conn *c);

/* Whether one has come. */
int interrupt_came(void);

/* After interrupt_catch(): sleep for @ms milliseconds or until one comes. Returns interrupt_came(). */
int interrupt_wait(const struct conn *c, int64_t ms);

/* After interrupt_catch(): let the signals interrupt any system call, not only the waiting on @c. */
void interrupt_unblock(const struct conn *c);

/* interrupt_release(), but forget the signal that has come. The next one ends us. */
void interrupt_forget(struct conn *c);

/* As before interrupt_catch(), if that was called. If a signal has come, die of it as if it had not been caught. */
void interrupt_release(struct conn *c);

#endif
