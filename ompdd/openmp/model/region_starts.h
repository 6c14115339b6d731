/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts how often a process has started regions of each function, where its runtime counts that (libompd/ompd-more.h).
 */
#ifndef OMPDD_OPENMP_REGION_STARTS_H
#define OMPDD_OPENMP_REGION_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct model;

struct region_starts {
	bool is_known; /* false: the runtime does not count, or there are too many rows */
	size_t n;
	struct region_starts_row {
		uint64_t function;
		int64_t level;
		uint64_t calls;
	} * rows; /* sorted by function and level */
};

/*
 * Reads the current counts of the selected model @m in an open view. There are no rows before the runtime has started.
 * The caller frees @ret with region_starts_deinit(). Errors are those of model_open(), and ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *region_starts_read(struct model *m, unsigned timeout_ms, struct region_starts *ret);
void region_starts_deinit(struct region_starts *b);

/* Returns the count for @function at @level, 0 for a function without a row. */
uint64_t region_starts_count(const struct region_starts *b, uint64_t function, int64_t level);

#endif
