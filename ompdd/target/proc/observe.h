/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the state of threads from /proc/PID/task, without ptrace. */
#ifndef OMPDD_TARGET_OBSERVE_H
#define OMPDD_TARGET_OBSERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "target/arch/thread.h"

/* Fill comm (when @with_comm) and state of @thread; the state of a missing thread is 'X'. */
void observe_thread(int taskfd, struct target_thread *thread, bool with_comm);

/* Fill only comm, which is cheaper. */
void observe_comm(int taskfd, struct target_thread *thread);

/* Read the activity from /proc/PID/task/TID/syscall. */
void observe_activity(int taskfd, pid_t tid, struct target_activity *ret);

/* Return whether every thread is in state t or T. */
bool observe_all_stopped(int taskfd, pid_t pid);

#endif
