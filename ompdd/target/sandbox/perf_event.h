/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a software event of perf_event_open(2) that samples one thread. */
#ifndef OMPDD_TARGET_PERF_EVENT_H
#define OMPDD_TARGET_PERF_EVENT_H

#include <stdint.h>
#include <sys/types.h>

/* Bytes of the stack, from the stack pointer on, that the kernel copies with each sample. */
#define PERF_STACK_BYTES 8192

/* Return a descriptor for samples of @tid, one each @period_us microseconds of its CPU time, or -1 with errno. */
int perf_event_create(pid_t tid, unsigned period_us);

/* Return the mask of the registers in a sample, in the numbering of perf_event_open(2). */
uint64_t perf_event_registers(void);

#endif
