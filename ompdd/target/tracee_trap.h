/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's own SIGTRAP: its handler and its place in signal masks stay as they are. Part of ompdd-tracer. */
#ifndef OMPDD_TARGET_TRACEE_TRAP_H
#define OMPDD_TARGET_TRACEE_TRAP_H

#include "target/tracee.h"

/* While stopped, before a thread may trap: read what the program does with SIGTRAP. Once in a stop. */
void tracee_trap_learn(struct tracee *p);
/* @t is stopped and about to go on: keep its signal mask in mind. */
void tracee_trap_keep_mask(struct tracee_thread *t);
/*
 * @t stands at a trap of ours that it is not to get: give its mask and the program's handler back, and send it a
 * SIGTRAP of the program's that ours took the place of.
 */
void tracee_trap_mend(struct tracee *p, struct tracee_thread *t);
/* Whether @t, which is at a SIGTRAP, blocked that when it went on last, and has not changed its mask. */
bool tracee_trap_blocks(const struct tracee_thread *t);
/*
 * While stopped: have @t get the SIGTRAP of the program's that it is about to get, now, if the program handles or
 * ignores that. So no hit of another thread resets the handler at that moment.
 */
void tracee_trap_deliver(struct tracee *p, struct tracee_thread *t);

#endif
