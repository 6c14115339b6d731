/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The Python functions of a target's threads, sampling after sampling. The kernel samples a running thread between two
 * samplings. A function that the thread executes at both of them has also been executed at the moment of the sample.
 */
#ifndef OMPDD_OPENMP_PYTHON_SAMPLES_H
#define OMPDD_OPENMP_PYTHON_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "openmp/python/python.h"
#include "openmp/python/python_chain.h"
#include "openmp/python/python_code.h"
#include "openmp/stacks/stacks.h"

/* The functions of one thread. */
struct python_sample {
	pid_t tid;
	struct python_chain now, before;
	bool is_met; /* at this sampling */
};

/* All zeroes is a valid empty value. */
struct python_samples {
	struct python py;
	struct python_codes codes;
	struct python_sample *threads;
	uint32_t n, cap;
};

/* Starts a sampling: reads the functions of all threads of @t, within a view. Threads that are not met are dropped. */
void python_samples_start(struct python_samples *s, struct target *t);
void python_samples_deinit(struct python_samples *s);

/*
 * Creates the functions of @tid on a stack. @is_exact: the thread sleeps or is stopped since the start of the sampling.
 * Else only functions that were executed at the previous sampling as well count; a line counts if it is the same. The
 * caller frees *@ret. Returns their number; 0 also if memory is out.
 */
uint32_t python_samples_get(struct python_samples *s, pid_t tid, bool is_exact, struct stacks *st,
			    struct stacks_python_frame **ret);
/* Returns a number that is equal for equal functions of @tid. */
uint64_t python_samples_hash(const struct python_samples *s, pid_t tid, bool is_exact);

#endif
