/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples registers and stacks of running threads through the kernel by CPU time (perf_event_open(2)), without stopping
 * a thread. A refusal by the kernel (perf_event_paranoid) is reported and does not affect other threads.
 */
#ifndef OMPDD_TARGET_PERF_H
#define OMPDD_TARGET_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/unwind/stack.h"

struct perf;

struct perf_sample {
	int64_t time_us; /* of clock_now_us() */
	struct stack_copy copy;
};

/* Create a sampler that samples each thread about every @period_us microseconds of its CPU time. */
MUST_USE struct error *perf_create(unsigned period_us, struct perf **ret);
void perf_destroy(struct perf *p);

/* Start sampling thread @tid. ERR_PERF_REFUSED: the kernel does not permit it, or lacks space; ERR_NO_SUCH_THREAD. */
MUST_USE struct error *perf_watch(struct perf *p, pid_t tid);
bool perf_watches(struct perf *p, pid_t tid);
/* Stop sampling all threads that are not in @tids, which is sorted. */
void perf_keep(struct perf *p, const pid_t *tids, size_t n);

/* Call @fn for each sample of @tid since the last call. The copy's bytes are valid only during @fn. */
void perf_read(struct perf *p, pid_t tid, void (*fn)(void *arg, const struct perf_sample *sample), void *arg);

/*
 * Return a number that changes when @tid gets a CPU; 0: unknown. If it is the same before and after a period in which
 * the thread slept at some moment, the thread has slept ever since.
 */
uint32_t perf_runs(struct perf *p, pid_t tid);

/* Return how many samples did not fit into the kernel's buffers. */
uint64_t perf_lost(const struct perf *p);

#endif
