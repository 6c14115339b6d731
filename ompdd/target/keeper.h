/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The process that takes the breakpoints out of a program whose tracer is killed. Part of ompdd-tracer (
 * SECURITY.md, "What can happen to a target").
 *
 * A program with a breakpoint instruction in its text dies of it when nobody traces it any more. The keeper traces the
 * tracer, and that alone, with PTRACE_O_TRACEEXIT: so a tracer that is killed halts in the kernel before it lets its
 * threads go, for as long as the keeper needs to put the program's own instructions back. It writes to memory that the
 * tracer has opened, and needs no rights to the program for that. It suppresses SIGSTOP for the tracer.
 *
 * A thread that comes to a breakpoint between the kill of the tracer and the keeper's work dies nevertheless. So who
 * kills all processes of ompdd at once had better not kill the tracer: it and its keeper are called otherwise
 * (`pkill -9 ompdd`), and as long as something is planted they are in the control group of the program where they may
 * go there: who kills that ends the program anyway.
 */
#ifndef OMPDD_TARGET_KEEPER_H
#define OMPDD_TARGET_KEEPER_H

#include <stdbool.h>

#include "target/tracee.h"

/* As /proc shows it. */
#define KEEPER_NAME "omp-keeper"

/* At the start of the tracer: there is no watchdog yet. */
void keeper_init(struct tracee *p);
/*
 * Have one, for as long as something may be planted in @p, which lies in memory that is shared with children. Without
 * one (the tracer is traced itself) all goes on as it does otherwise.
 */
void keeper_begin(struct tracee *p);
/* Nothing is planted any more. */
void keeper_end(struct tracee *p);
/*
 * When there is time: if there is no keeper, leave the program's control group, which may wait for the end of all that
 * are in it.
 */
void keeper_go_home(const struct tracee *p);
/* Whether @pid, which has ended, was the keeper: then there is none now. */
bool keeper_is(struct tracee *p, pid_t pid);

#endif
