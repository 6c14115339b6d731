/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A clock that is cheap to read. Its ticks are only compared with each other. */
#ifndef OMPDD_RUNTIME_OS_CLOCK_H
#define OMPDD_RUNTIME_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Ticks since an unspecified moment: about one per cycle, or one per nanosecond. */
static inline uint64_t clock_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

#endif
