/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A key for a cached conclusion about a region: the view and the region. Tools request all
 * variables of a task, or all threads of a pool, in a row. While the key is equal, a conclusion
 * from the target's memory still holds.
 */
#ifndef OMPDD_LIBOMPD_VIEW_KEY_H
#define OMPDD_LIBOMPD_VIEW_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "memo.h"
#include "process.h"

struct view_key {
	uint64_t moment; /* 0: outside a view; such a key equals no other key */
	const struct process *process;
	struct region_ref region;
};

/* Return the key for a request about @region in the current view. */
static inline struct view_key view_key_now(const struct process *process, const struct region_ref *region)
{
	return (struct view_key){memo_moment(process->context), process, *region};
}

/*
 * Return whether a conclusion for @a holds for @b. All fields must be equal, even where they do not
 * identify the region.
 */
static inline bool view_key_equals(const struct view_key *a, const struct view_key *b)
{
	const struct region_ref *x = &a->region, *y = &b->region;

	return a->moment && a->moment == b->moment && a->process == b->process && x->team == y->team &&
	       x->pool == y->pool && x->root == y->root && x->via == y->via && x->level == y->level &&
	       x->sequence == y->sequence;
}

#endif
