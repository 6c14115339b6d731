/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which pages of a running target to fetch together with one that is asked for. Who follows a list of thread
 * descriptors reads a page of each stack, and stacks that were made one after the other lie at equal distances.
 */
#ifndef OMPDD_TARGET_READ_AHEAD_H
#define OMPDD_TARGET_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "target/cache.h"

/* Most pages that are fetched ahead at once. */
#define READ_AHEAD 32
/* Most neighbouring pages that read_ahead_choose() is asked about: a descriptor may lie across a border. */
#define READ_AHEAD_MAX_WIDTH 2

/* Of the pages that were missing last. All zeroes is a valid beginning. */
struct read_ahead {
	uint64_t last, stride;
	unsigned run; /* so many in a row had this distance from the one before */
};

/*
 * @page is missing, and as many behind it as make @width: addresses of pages that are not in @c either and are likely
 * to be asked for next, at most READ_AHEAD, in @ret. Returns how many.
 */
size_t read_ahead_choose(struct read_ahead *r, struct cache *c, uint64_t page, size_t width, uint64_t *ret);

#endif
