/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A histogram of durations, with classes for both stops and requests: 100 us to 30 s. */
#ifndef OMPDD_BASE_HISTOGRAM_H
#define OMPDD_BASE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_N_BOUNDS 14

struct histogram {
	uint64_t n[HISTOGRAM_N_BOUNDS + 1]; /* one per class; the last class has no upper bound */
	uint64_t count;
	uint64_t sum_us;
};

/* Inclusive upper bounds of the classes, ascending. */
extern const int64_t histogram_bounds_us[HISTOGRAM_N_BOUNDS];

/* Count a duration of @us microseconds. A negative @us counts as 0. */
void histogram_add(struct histogram *h, int64_t us);

#endif
