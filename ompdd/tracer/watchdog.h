/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The watchdog: a process that removes the breakpoints from a program whose tracer is killed. Part of ompdd-tracer
 * (SECURITY.md, "What can happen to a target").
 *
 * A thread that hits a breakpoint instruction with no tracer attached is killed by SIGTRAP. The watchdog traces only
 * the tracer, with PTRACE_O_TRACEEXIT. A killed tracer therefore halts in the kernel before it detaches its threads,
 * until the watchdog has restored the program's instructions. The watchdog writes through a descriptor that the tracer
 * has opened, and needs no rights to the program. It suppresses SIGSTOP for the tracer.
 *
 * A thread that hits a breakpoint after the kill of the tracer and before this repair still dies. Killing all processes
 * of ompdd at once must therefore spare the tracer: it and its watchdog have other names (`pkill -9 ompdd`). While
 * something is planted they are in the program's control group if they may enter it. Killing that group kills the
 * program anyway.
 */
#ifndef OMPDD_TRACER_WATCHDOG_H
#define OMPDD_TRACER_WATCHDOG_H

#include <stdbool.h>

#include "tracer/tracee.h"

/* The name shown in /proc. */
#define WATCHDOG_NAME "omp-watchdog"

/* Initialize at the start of the tracer, without a watchdog. */
void watchdog_init(struct tracee *p);
/*
 * Start a watchdog for as long as something may be planted in @p, which lies in memory shared with children. If no
 * watchdog can start (the tracer itself is traced), everything else works as usual.
 */
void watchdog_begin(struct tracee *p);
/* End the watchdog: nothing is planted any more. */
void watchdog_end(struct tracee *p);
/*
 * Leave the program's control group if there is no watchdog: another process may wait until the group is empty. Called
 * when there is time.
 */
void watchdog_go_home(const struct tracee *p);
/* Return whether @pid, which has exited, was the watchdog. It clears the watchdog then. */
bool watchdog_is(struct tracee *p, pid_t pid);

#endif
