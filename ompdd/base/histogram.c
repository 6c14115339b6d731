/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts durations by class, for stops and requests in GET /metrics. */
#include "base/histogram.h"

const int64_t histogram_bounds_us[HISTOGRAM_N_BOUNDS] = {
	100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 1000000, 5000000, 30000000,
};

void histogram_add(struct histogram *h, int64_t us)
{
	int i = 0;

	if (us < 0)
		us = 0;
	while (i < HISTOGRAM_N_BOUNDS && us > histogram_bounds_us[i])
		i++;
	h->n[i]++;
	h->count++;
	h->sum_us += (uint64_t)us;
}
