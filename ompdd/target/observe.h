/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What /proc/PID/task shows of threads, without ptrace. */
#ifndef OMPDD_TARGET_OBSERVE_H
#define OMPDD_TARGET_OBSERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "target/target.h"

/* Fill comm (when @with_comm) and state of @thread; a thread that is gone has state 'X'. */
void observe_thread(int taskfd, struct target_thread *thread, bool with_comm);

/* Only comm: cheaper. */
void observe_comm(int taskfd, struct target_thread *thread);

/* From /proc/PID/task/TID/syscall. */
void observe_activity(int taskfd, pid_t tid, struct target_activity *ret);

/* Whether every thread is in state t or T. */
bool observe_all_stopped(int taskfd, pid_t pid);

#endif
