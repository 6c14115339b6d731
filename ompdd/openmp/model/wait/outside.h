/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The wait of a thread for an object of the C library, beside its mutexes. openmp/stacks/stack_outside finds it. With a
 * proven holder it is part of the wait graph. Without one it only describes why the thread sleeps.
 */
#ifndef OMPDD_OPENMP_MODEL_OUTSIDE_H
#define OMPDD_OPENMP_MODEL_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "openmp/model/wait/holder.h"

struct outside_wait {
	enum holder_kind kind; /* HOLDER_RWLOCK and those after it */
	uint64_t address;      /* of the object */
	bool has_holder;
	uint32_t holder;      /* in snapshot.threads, if has_holder */
	const char *evidence; /* of the holder: a sentence without its full stop, a literal */
	pid_t joined;	      /* HOLDER_JOIN: the thread that is to end */
	uint32_t n_readers;   /* HOLDER_RWLOCK: threads that hold it for reading; the C library does not store which */
};

#endif
