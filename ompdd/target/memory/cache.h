/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Caches pages of a target's memory that were read in the current view, hashed by address. Keeps the addresses that
 * earlier views used, so that those pages can be read again together.
 */
#ifndef OMPDD_TARGET_CACHE_H
#define OMPDD_TARGET_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"

#define CACHE_PAGE 4096
/* Pages held in one view (64 MiB). Further reads bypass the cache. */
#define CACHE_MAX_PAGES 16384
/* Pages read ahead at the start of a view (16 MiB). */
#define CACHE_MAX_PRIME 4096
/*
 * A used page is read ahead in this number of later views, up to twice as many: different requests need different pages
 * and different parts of them.
 */
#define CACHE_MAX_AGE 32
/*
 * The same limit for views that repeat the requests of the views before: reading a rarely used page alone is cheaper
 * then.
 */
#define CACHE_AGAIN_AGE 5
/* Read-ahead ranges start and end at a multiple of this: a program often writes near its previous write. */
#define CACHE_BLOCK 512

/* The part of a page that reads requested, rounded to whole blocks. */
struct cache_range {
	uint16_t from, to; /* to 0: empty */
};

struct cache_slot {
	uint64_t addr; /* of the page */
	unsigned char *page;
	struct cache_range recent;     /* reads of this view and of up to CACHE_MAX_AGE views before it */
	struct cache_range older;      /* reads of the CACHE_MAX_AGE views before these */
	uint16_t valid_from, valid_to; /* the valid bytes of the storage; to 0: the page cannot be read as a whole */
	bool used;		       /* by a read of this view, not only by read-ahead */
	uint8_t unused;		       /* number of consecutive earlier views that have not used it */
};

/* A range to read ahead from a page. */
struct cache_piece {
	uint64_t addr; /* of the page */
	struct cache_range recent, older;
	uint8_t unused; /* number of consecutive last views that have not used it */
};

/* All zeroes is a valid empty cache. */
struct cache {
	struct cache_slot *slots;
	size_t n_slots;
	size_t cap_slots;
	struct hash index;	/* of the slots, by address */
	unsigned char **chunks; /* storage of the pages, kept over views */
	size_t n_chunks, cap_chunks;
	struct cache_piece *prime; /* used by one of the last views, not read again yet */
	size_t n_prime;
	size_t cap_prime;
	unsigned n_views; /* number of views that `recent` covers */
};

void cache_deinit(struct cache *c);

/* Drop all pages, but remember which ones were used (see cache.prime). */
void cache_begin_view(struct cache *c);
/* The same for a view that repeats the requests of the last ones: pages that they did not use are forgotten. */
void cache_begin_view_again(struct cache *c);

/* Start a view that reads all used pages ahead once more. Pages that this view does not use are forgotten. */
void cache_begin_last_use(struct cache *c);

/* The slot of the page at @addr (aligned), or NULL. */
struct cache_slot *cache_find(struct cache *c, uint64_t addr);

/*
 * Add a slot for the page at @addr, which must not be in the cache. Its bytes are neither valid nor used. Return NULL
 * when the cache is full or memory is exhausted. Invalidates pointers to slots, but not to pages.
 */
struct cache_slot *cache_add(struct cache *c, uint64_t addr);

/* Record that a read of this view used the bytes from @from to @to of the page. */
void cache_note_use(struct cache_slot *s, size_t from, size_t to);
/* Return the range to read ahead from the page, in one piece: a second piece costs more than the bytes between. */
struct cache_range cache_wanted(const struct cache_slot *s);

/* Drop the slots from number @n on: they were added but not filled. */
void cache_truncate(struct cache *c, size_t n);

#endif
