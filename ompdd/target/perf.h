/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers and stacks of running threads, sampled by the kernel by their processor time (perf_event_open(2)): no
 * thread is stopped for it. What the kernel refuses (perf_event_paranoid) is said, and other threads are not concerned.
 */
#ifndef OMPDD_TARGET_PERF_H
#define OMPDD_TARGET_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "target/stack.h"

struct perf;

/* Of a stack, from its stack pointer on: what the kernel copies with each sample. */
#define PERF_STACK_BYTES 8192

struct perf_sample {
	int64_t time_us; /* of clock_now_us() */
	struct stack_copy copy;
};

/* The system call, for the broker: a descriptor for samples of @tid; -1 with errno. */
int perf_open(pid_t tid, unsigned period_us);

/* With a sample of each thread every @period_us microseconds of its processor time, more or less. */
MUST_USE struct error *perf_create(unsigned period_us, struct perf **ret);
void perf_destroy(struct perf *p);

/*
 * Sample thread @tid from now on. ERR_PERF_REFUSED: the kernel does not allow it, or there is no room;
 * ERR_NO_SUCH_THREAD.
 */
MUST_USE struct error *perf_watch(struct perf *p, pid_t tid);
bool perf_watches(struct perf *p, pid_t tid);
/* No longer; the others that are watched are those of @tids, sorted. */
void perf_keep(struct perf *p, const pid_t *tids, size_t n);

/* Call @fn with each sample of @tid since the last call; the copy's bytes are gone when it returns. */
void perf_read(struct perf *p, pid_t tid, void (*fn)(void *arg, const struct perf_sample *sample), void *arg);

/*
 * A number that changes when @tid is given a processor: the same before and after a time in which it slept at some
 * moment means that it has slept since. 0: nothing is known.
 */
uint32_t perf_runs(struct perf *p, pid_t tid);

/* Samples that did not fit into the kernel's buffers. */
uint64_t perf_lost(const struct perf *p);

#endif
