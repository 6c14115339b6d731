/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preserves the program's own SIGTRAP: its handler and its place in signal masks. Part of ompdd-tracer. */
#ifndef OMPDD_TRACER_TRACEE_TRAP_H
#define OMPDD_TRACER_TRACEE_TRAP_H

#include "tracer/tracee.h"

/* While stopped, before a thread may trap: read the program's disposition of SIGTRAP. Once per stop. */
void tracee_trap_learn(struct tracee *p);
/* Record the signal mask of @t, which is stopped and about to be resumed. */
void tracee_trap_keep_mask(const struct tracee *p, struct tracee_thread *t);
/*
 * @t is stopped at a trap of ours that it must not receive. Restore its mask and the program's handler, and resend a
 * SIGTRAP of the program that ours replaced.
 */
void tracee_trap_mend(struct tracee *p, struct tracee_thread *t);
/* Return whether @t, which is at a SIGTRAP, blocked SIGTRAP before the kernel unblocked it. */
bool tracee_trap_was_blocked(const struct tracee *p, const struct tracee_thread *t);
/* Send a SIGTRAP of the program again that a trap of ours replaced, if there is one. */
void tracee_trap_resend(struct tracee_thread *t);
/*
 * @t, in a step at @pc, is at a SIGTRAP. Keep one that a process sent; before the instruction, continue the step.
 * Return false if the step has ended.
 */
bool tracee_trap_continue_step(struct tracee_thread *t, uint64_t pc);
/*
 * While stopped: deliver a pending SIGTRAP of the program to @t now, if the program handles or ignores SIGTRAP. A hit
 * of another thread can then not reset the handler at that moment.
 */
void tracee_trap_deliver(struct tracee *p, struct tracee_thread *t);

#endif
