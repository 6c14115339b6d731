/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often a process has begun regions of each function, where its runtime counts that (libompd/ompd-more.h). */
#ifndef OMPDD_OPENMP_BEGUN_H
#define OMPDD_OPENMP_BEGUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct model;

struct begun {
	bool is_known; /* else nobody counts, or there are too many */
	size_t n;
	struct begun_row {
		uint64_t function;
		int64_t level;
		uint64_t calls;
	} * rows; /* by function and level */
};

/*
 * As it is now, of the selected model @m in a view that was begun; before its runtime has started there was no region.
 * To be freed with begun_deinit(). Errors are those of model_open(), and ERR_PLUGIN_MISBEHAVED.
 */
MUST_USE struct error *begun_read(struct model *m, unsigned timeout_ms, struct begun *ret);
void begun_deinit(struct begun *b);

/* Of what is in no row, none was begun. */
uint64_t begun_of(const struct begun *b, uint64_t function, int64_t level);

#endif
