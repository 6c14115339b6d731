/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ^C, SIGTERM and the loss of the terminal, for commands with work to do before they exit. Such a command detaches
 * the target that a running ompdd attached for it, or writes its recording. Ignored signals (nohup) stay ignored.
 */
#ifndef OMPDD_CLI_INTERRUPT_H
#define OMPDD_CLI_INTERRUPT_H

#include <stdint.h>

#include "connection.h"

/*
 * From now on these signals only end the waiting on @c, until @c->interrupted is set to NULL. Several connections may
 * wait so; the first interrupt_release() or interrupt_forget() ends it for all of them.
 */
void interrupt_catch(struct connection *c);

/* Return whether a signal has come. */
int interrupt_came(void);

/* Sleep for @ms milliseconds or until a signal comes, after interrupt_catch(). Returns interrupt_came(). */
int interrupt_wait(const struct connection *c, int64_t ms);

/* Let the signals interrupt any system call, not only the waiting on @c, after interrupt_catch(). */
void interrupt_unblock(const struct connection *c);

/* Undo interrupt_catch() and forget a signal that has come. The next signal ends this process. */
void interrupt_forget(struct connection *c);

/* Undo interrupt_catch(), if it was called. If a signal has come, end this process by that signal, as if it had not
 * been caught. */
void interrupt_release(struct connection *c);

#endif
