/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * System calls that a stop of ours interrupts. The kernel restarts most of them by itself. A few return EINTR to the
 * program instead (signal(7)): of these, a call that waits without a time limit is restarted here. A call with a time
 * limit is left alone: the kernel does not show how long it has waited, so a restart would make it wait too long.
 * System calls only: may be called in a signal handler, and in ompdd-tracer.
 */
#ifndef OMPDD_TARGET_INTERRUPTED_CALL_H
#define OMPDD_TARGET_INTERRUPTED_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/arch/arch.h"

/*
 * Restart the system call of the thread @tid when the thread resumes, if our stop ended it with EINTR and a restart is
 * exact. @tid is stopped by an interrupt, a signal or a group stop. If a signal handler runs first, the call returns
 * EINTR to the program, as it does without a stop.
 */
void interrupted_call_restart(pid_t tid);

/*
 * Return whether a restart of system call @number with @args is exact: it has no time limit and has done nothing yet.
 */
bool interrupted_call_is_exact(long number, const uint64_t args[ARCH_N_ARGUMENTS]);

#endif
