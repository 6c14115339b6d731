/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clocks: monotonic time for deadlines and durations, and processor time. Safe in signal handlers. */
#ifndef OMPDD_BASE_CLOCK_H
#define OMPDD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the microseconds of @clock, such as CLOCK_THREAD_CPUTIME_ID. */
static inline int64_t clock_read_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Return the microseconds of CLOCK_MONOTONIC. */
static inline int64_t clock_now_us(void)
{
	return clock_read_us(CLOCK_MONOTONIC);
}

/* Return the milliseconds of CLOCK_MONOTONIC. */
static inline int64_t clock_now_ms(void)
{
	return clock_now_us() / 1000;
}

#endif
