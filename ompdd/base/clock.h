/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time that only goes forward, for deadlines and durations. Signal handlers may ask too. */
#ifndef OMPDD_BASE_CLOCK_H
#define OMPDD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Microseconds of CLOCK_MONOTONIC. */
static inline int64_t clock_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

#endif
