/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whether a process began with memory of its own, or with a copy of another's: what a fork has copied speaks of threads
 * that the child does not have.
 */
#ifndef OMPDD_TARGET_ORIGIN_H
#define OMPDD_TARGET_ORIGIN_H

#include "target/target.h"

enum target_origin {
	TARGET_ORIGIN_UNKNOWN, /* a core that does not say, or a process that is gone */
	TARGET_ORIGIN_PROGRAM, /* it has executed its program: all that its memory speaks of was there */
	TARGET_ORIGIN_FORK,    /* it goes on with what was there when it was forked */
};

/* As the kernel says it, now or in the core's notes. Never fails. */
enum target_origin target_origin(struct target *t);

/*
 * The process that forked @t, if @tid is a thread of it now and was there already when @t began: no thread of @t can
 * have had this number. 0: it is not, or the kernel does not say; of a core always.
 */
pid_t target_forked_beside(struct target *t, pid_t tid);

#endif
