/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Determines whether a process started with its own memory or with a copy of its parent's. Memory that a fork copied
 * describes threads that the child does not have.
 */
#ifndef OMPDD_TARGET_ORIGIN_H
#define OMPDD_TARGET_ORIGIN_H

#include "target/target.h"

enum target_origin {
	TARGET_ORIGIN_UNKNOWN, /* a core without this information, or a process that is gone */
	TARGET_ORIGIN_PROGRAM, /* it has executed its program: everything that its memory describes existed in it */
	TARGET_ORIGIN_FORK,    /* its memory was copied from its parent */
};

/* Return the origin that the kernel reports, now or in the core's notes. Never fails. */
enum target_origin target_origin(struct target *t);

/*
 * Return the process that forked @t if @tid is now a thread of it and already was when @t started: no thread of @t can
 * have had this number. Return 0 if that is false or unknown, and for a core.
 */
pid_t target_forked_beside(struct target *t, pid_t tid);

#endif
