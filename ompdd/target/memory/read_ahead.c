/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Predicts that pages at equal distances are followed by more of them. */
#include "target/memory/read_ahead.h"

/*
 * The pages fetched ahead at first, the equal strides in a row that this takes, and their largest count. Each further
 * stride doubles the pages.
 */
#define FIRST_AHEAD    4u
#define STRIDES_BEFORE 3
#define MAX_RUN	       6

size_t read_ahead_choose(struct read_ahead *r, struct cache *c, uint64_t page, size_t width, uint64_t *ret)
{
	uint64_t stride = page - r->last, distance = stride < UINT64_MAX / 2 ? stride : -stride;
	size_t n = 0;

	r->run = r->run && stride == r->stride ? r->run + (r->run < MAX_RUN) : 1;
	r->stride = stride;
	r->last = page;
	if (r->run < STRIDES_BEFORE || distance < width * CACHE_PAGE)
		return 0;
	for (size_t max = FIRST_AHEAD << (r->run - STRIDES_BEFORE); n + width <= READ_AHEAD && n < max * width;) {
		uint64_t next = r->last + stride;

		/* Stop at the end of the address space, or at a cached page. */
		if ((stride < UINT64_MAX / 2) != (next > r->last) || cache_find(c, next))
			break;
		r->last = next;
		for (size_t i = 0; i < width; i++, next += CACHE_PAGE) {
			if (next && !cache_find(c, next))
				ret[n++] = next;
		}
	}
	return n;
}
