/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Monotonic time for deadlines and durations. Safe in signal handlers. */
#ifndef OMPDD_BASE_CLOCK_H
#define OMPDD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the microseconds of CLOCK_MONOTONIC. */
static inline int64_t clock_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

#endif
