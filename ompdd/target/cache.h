/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pages of a target's memory that were read in the present view, hashed by address, and the
 * addresses that the views before it used, so that they can be read again in one go.
 */
#ifndef OMPDD_TARGET_CACHE_H
#define OMPDD_TARGET_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CACHE_PAGE 4096
/* Pages held in one view (64 MiB); reads beyond go past the cache. */
#define CACHE_MAX_PAGES 16384
/* Pages read ahead at the start of a view (16 MiB). */
#define CACHE_MAX_PRIME 4096
/* What was used is read ahead in so many views after that, up to twice as many: different questions need different
 * pages, and different parts of them. */
#define CACHE_MAX_AGE 32
/* In views that ask for what the ones before did, what was used in so many: a page that few of them use is cheaper read
 * alone then. */
#define CACHE_AGAIN_AGE 5
/* What is read ahead of a page begins and ends at such a boundary: what a program writes anew often lies beside what it
 * wrote before. */
#define CACHE_BLOCK 512

/* What reads were about, to whole blocks. */
struct cache_range {
	uint16_t from, to; /* to 0: nothing */
};

struct cache_slot {
	uint64_t addr; /* of the page */
	unsigned char *page;
	struct cache_range recent; /* reads of this view, and of up to CACHE_MAX_AGE before it */
	struct cache_range older;  /* of CACHE_MAX_AGE views before those */
	uint16_t valid_from,
		valid_to; /* what the storage holds of the page; to 0: it cannot be read, or not as a whole */
	bool used;	  /* by a read of this view, not only read ahead */
	uint8_t unused;	  /* so many views before it have not used it */
};

/* What to read ahead of a page. */
struct cache_piece {
	uint64_t addr; /* of the page */
	struct cache_range recent, older;
	uint8_t unused; /* in so many views, the last ones */
};

/* All zeroes is a valid empty cache. */
struct cache {
	struct cache_slot *slots;
	size_t n_slots;
	size_t cap_slots;
	uint32_t *index; /* open addressing: slot number + 1, 0 is free */
	size_t cap_index;
	unsigned char **chunks; /* storage of the pages, kept over views */
	size_t n_chunks;
	struct cache_piece *prime; /* used by one of the last views, not yet read again */
	size_t n_prime;
	size_t cap_prime;
	unsigned n_views; /* that `recent` is about */
};

void cache_deinit(struct cache *c);

/* Forget all pages, but remember which ones were used (see cache.prime). */
void cache_begin_view(struct cache *c);
/* The same for one that asks for what the last ones did: pages that they did not use are forgotten. */
void cache_begin_view_again(struct cache *c);

/* Begin a view before which all that was used is read ahead once more, but stays known only if that view uses it, too.
 */
void cache_begin_last_use(struct cache *c);

/* The slot of the page at @addr (aligned), or NULL. */
struct cache_slot *cache_find(struct cache *c, uint64_t addr);

/*
 * Add a slot for the page at @addr, which is not there yet, with storage for its bytes, none of them valid or
 * used. NULL when the cache is full or memory is out. Pointers to slots end here; those to pages stay.
 */
struct cache_slot *cache_add(struct cache *c, uint64_t addr);

/* A read of this view was about the bytes @from to @to of the page. */
void cache_note_use(struct cache_slot *s, size_t from, size_t to);
/* What to read ahead of the page, in one piece: a second one costs more than the bytes between. */
struct cache_range cache_wanted(const struct cache_slot *s);

/* Drop the slots from number @n on: they were added but not filled. */
void cache_truncate(struct cache *c, size_t n);

#endif
