/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counts how often a process has started regions of each function, where its runtime counts that (libompd/ompd-more.h).
 */
#ifndef OMPDD_OPENMP_BEGUN_H
#define OMPDD_OPENMP_BEGUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct model;

struct begun {
	bool is_known; /* false: the runtime does not count, or there are too many rows */
	size_t n;
	struct begun_row {
		uint64_t function;
		int64_t level;
		uint64_t calls;
	} * rows; /* sorted by function and level */
};

/*
 * Reads the current counts of the selected model @m in an open view. There are no rows before the runtime has started.
 * The caller frees @ret with begun_deinit(). Errors are those of model_open(), and ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *begun_read(struct model *m, unsigned timeout_ms, struct begun *ret);
void begun_deinit(struct begun *b);

/* Returns the count for @function at @level, 0 for a function without a row. */
uint64_t begun_of(const struct begun *b, uint64_t function, int64_t level);

#endif
