/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which region was asked about, and in which view. What a task's variables or a pool's threads are asked for comes one
 * after the other: as long as the key is equal, what was concluded from memory is what would be concluded again.
 */
#ifndef OMPDD_LIBOMPD_VIEW_KEY_H
#define OMPDD_LIBOMPD_VIEW_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "memo.h"
#include "process.h"

struct view_key {
	uint64_t moment; /* 0: of no view; it equals nothing */
	const struct process *process;
	struct region_ref region;
};

/* For a question about @region, now. */
static inline struct view_key view_key_now(const struct process *process, const struct region_ref *region)
{
	return (struct view_key){memo_moment(process->context), process, *region};
}

/* Not whether it is the same region, but whether what is said of it is. */
static inline bool view_key_equals(const struct view_key *a, const struct view_key *b)
{
	const struct region_ref *x = &a->region, *y = &b->region;

	return a->moment && a->moment == b->moment && a->process == b->process && x->team == y->team &&
	       x->pool == y->pool && x->root == y->root && x->via == y->via && x->level == y->level &&
	       x->sequence == y->sequence;
}

#endif
