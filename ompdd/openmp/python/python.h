/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * CPython in a target: its interpreters, their threads and their GIL (global interpreter lock), read from memory. No
 * code of the target is executed. All memory is untrusted: a member counts only if the objects around it agree.
 */
#ifndef OMPDD_OPENMP_PYTHON_H
#define OMPDD_OPENMP_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "openmp/python/python_layout.h"
#include "target/target.h"

/* Limits for the interpreters of a process, and for their threads together. */
#define PYTHON_MAX_INTERPRETERS 64
#define PYTHON_MAX_THREADS	8192

enum python_status {
	PYTHON_ABSENT,	   /* the process has no interpreter, or has not started it */
	PYTHON_READABLE,   /* its threads are known */
	PYTHON_UNREADABLE, /* `why` */
};

/* A thread that has called Python. */
struct python_thread {
	uint64_t address; /* of its PyThreadState */
	pid_t tid;
	uint32_t gil; /* number in python.gils */
};

struct python_gil {
	uint64_t address;
	uint64_t interpreter; /* the first one that uses it */
	bool is_held;
	uint64_t holder; /* if held: a PyThreadState */
	pid_t tid;	 /* if held: the holder; 0: not a thread of this process */
};

struct python {
	struct target *t;
	enum python_status status;
	char why[200]; /* a sentence without its full stop */
	struct python_layout layout;
	uint64_t runtime; /* address of _PyRuntime */
	uint64_t code_type, text_type, bytes_type;
	struct python_thread *threads;
	size_t n_threads, cap_threads;
	struct python_gil *gils;
	size_t n_gils, cap_gils;
};

/*
 * Finds CPython in @t, within a view. Always sets @ret, for python_deinit(). More interpreters or threads than the
 * limits are PYTHON_UNREADABLE.
 */
void python_find(struct target *t, struct python *ret);
void python_deinit(struct python *py);

/* Returns the next thread of @tid after @after in python.threads; NULL: no further thread. @after: NULL, or a result.
 */
const struct python_thread *python_thread_of(const struct python *py, pid_t tid, const struct python_thread *after);

#endif
