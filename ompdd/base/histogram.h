/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often something took how long, in classes that fit stops as well as requests: 100 us to 30 s.
 */
#ifndef OMPDD_BASE_HISTOGRAM_H
#define OMPDD_BASE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_N_BOUNDS 14

struct histogram {
	uint64_t n[HISTOGRAM_N_BOUNDS + 1]; /* one for each class, the last without an upper bound */
	uint64_t count;
	uint64_t sum_us;
};

/* Upper bounds of the classes (each belongs to its class), rising. */
extern const int64_t histogram_bounds_us[HISTOGRAM_N_BOUNDS];

/* A negative @us counts as 0. */
void histogram_add(struct histogram *h, int64_t us);

#endif
