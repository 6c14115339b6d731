/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selects pages of a running target to fetch together with a requested page. A traversal of thread descriptors reads a
 * page of each stack, and stacks created one after the other lie at equal distances.
 */
#ifndef OMPDD_TARGET_READ_AHEAD_H
#define OMPDD_TARGET_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "target/memory/cache.h"

/* The largest number of pages fetched ahead at once. */
#define READ_AHEAD 32
/* The largest @width of read_ahead_choose(): a descriptor may cross a page border. */
#define READ_AHEAD_MAX_WIDTH 2

/* The pages that were missing last. All zeroes is a valid start. */
struct read_ahead {
	uint64_t last, stride;
	unsigned run; /* number of consecutive pages at this distance from the previous one */
};

/*
 * @page and the pages after it, @width in all, are missing. Store in @ret the addresses of pages that are likely to be
 * requested next and are not in @c, READ_AHEAD at most. Return how many.
 */
size_t read_ahead_choose(struct read_ahead *r, struct cache *c, uint64_t page, size_t width, uint64_t *ret);

#endif
