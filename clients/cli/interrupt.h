/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ^C, SIGTERM and the end of the terminal while a running ompdd has attached to a process for us alone: it would keep
 * that, so there is something to say before we go.
 */
#ifndef OMPDD_CLI_INTERRUPT_H
#define OMPDD_CLI_INTERRUPT_H

#include "conn.h"

/* From now on these signals end the waiting on @c, until @c->interrupted is set to NULL, and nothing else. */
void interrupt_catch(struct conn *c);

/* Whether one has come. */
int interrupt_came(void);

/* As before interrupt_catch(), if that was called. If a signal has come, die of it as if it had not been caught. */
void interrupt_release(struct conn *c);

#endif
