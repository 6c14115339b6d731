/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preserves the program's own SIGTRAP: its handler and its place in signal masks. Part of ompdd-tracer. */
#ifndef OMPDD_TARGET_TRACEE_TRAP_H
#define OMPDD_TARGET_TRACEE_TRAP_H

#include "target/tracee.h"

/* While stopped, before a thread may trap: read the program's disposition of SIGTRAP. Once per stop. */
void tracee_trap_learn(struct tracee *p);
/* Record the signal mask of @t, which is stopped and about to be resumed. */
void tracee_trap_keep_mask(struct tracee_thread *t);
/*
 * @t is stopped at a trap of ours that it must not receive. Restore its mask and the program's handler, and resend a
 * SIGTRAP of the program that ours replaced.
 */
void tracee_trap_mend(struct tracee *p, struct tracee_thread *t);
/* Return whether @t, which is at a SIGTRAP, blocked SIGTRAP when it was last resumed, and has not changed its mask. */
bool tracee_trap_blocks(const struct tracee_thread *t);
/*
 * While stopped: deliver a pending SIGTRAP of the program to @t now, if the program handles or ignores SIGTRAP. A hit
 * of another thread can then not reset the handler at that moment.
 */
void tracee_trap_deliver(struct tracee *p, struct tracee_thread *t);

#endif
