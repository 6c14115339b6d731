/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Determines whether a process started with its own memory or with a copy of its parent's. Memory that a fork copied
 * describes threads that the child does not have.
 */
#ifndef OMPDD_TARGET_IMAGE_H
#define OMPDD_TARGET_IMAGE_H

#include "target/target.h"

/*
 * Return the process that forked @t if @tid is now a thread of it and already was when @t started: no thread of @t can
 * have had this number. Return 0 if that is false or unknown, and for a core.
 */
pid_t target_find_fork_parent(struct target *t, pid_t tid);

#endif
