/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page cache of a view; used by target.c. */
#include "target/memory/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vector.h"

/* Storage grows by this many pages. */
#define CHUNK_PAGES 64
#define CHUNK_SIZE  (CHUNK_PAGES * (size_t)CACHE_PAGE)

/*
 * The storage of a destroyed target, kept for the next one: returning and requesting its pages again costs as much as
 * filling them for a small program.
 */
static unsigned char *spare;

static uint32_t hash_page(uint64_t addr)
{
	return hash_number(addr / CACHE_PAGE);
}

void cache_deinit(struct cache *c)
{
	for (size_t i = 0; i < c->n_chunks; i++) {
		unsigned char *chunk = i ? c->chunks[i] : __atomic_exchange_n(&spare, c->chunks[i], __ATOMIC_ACQ_REL);

		if (chunk)
			munmap(chunk, CHUNK_SIZE);
	}
	free(c->chunks);
	free(c->slots);
	hash_deinit(&c->index);
	free(c->prime);
	memset(c, 0, sizeof(*c));
}

static struct cache_range join_ranges(struct cache_range a, struct cache_range b)
{
	if (!a.to || !b.to)
		return a.to ? a : b;
	return (struct cache_range){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

void cache_note_use(struct cache_slot *s, size_t from, size_t to)
{
	struct cache_range range = {
		.from = (uint16_t)(from & ~(size_t)(CACHE_BLOCK - 1)),
		.to = (uint16_t)((to + CACHE_BLOCK - 1) & ~(size_t)(CACHE_BLOCK - 1)),
	};

	s->used = true;
	s->recent = join_ranges(s->recent, range);
}

struct cache_range cache_wanted(const struct cache_slot *s)
{
	return join_ranges(s->recent, s->older);
}

static void collect_prime(struct cache *c, unsigned max_unused)
{
	bool turns = ++c->n_views == CACHE_MAX_AGE;

	if (turns)
		c->n_views = 0;
	c->n_prime = 0;
	for (size_t i = 0; i < c->n_slots && c->n_prime < CACHE_MAX_PRIME; i++) {
		const struct cache_slot *s = &c->slots[i];
		struct cache_piece piece = {s->addr, s->recent, s->older, s->used ? 0 : (uint8_t)(s->unused + 1)};

		if (turns)
			piece = (struct cache_piece){.addr = s->addr, .older = s->recent, .unused = piece.unused};
		/* A page that could not be read is retried only if it was requested. */
		if ((piece.recent.to || piece.older.to) && (s->used || s->valid_to) && piece.unused < max_unused)
			c->prime[c->n_prime++] = piece;
	}
}

static void begin_view(struct cache *c, unsigned max_unused)
{
	/* A view without reads does not predict the next one: keep the data. */
	bool any_used = false;

	for (size_t i = 0; i < c->n_slots && !any_used; i++)
		any_used = c->slots[i].used;
	if (any_used && VECTOR_RESERVE(c->prime, c->n_slots, c->cap_prime))
		collect_prime(c, max_unused);
	cache_truncate(c, 0);
}

void cache_begin_view(struct cache *c)
{
	begin_view(c, 2 * CACHE_MAX_AGE);
}

void cache_begin_view_again(struct cache *c)
{
	begin_view(c, CACHE_AGAIN_AGE);
}

void cache_begin_last_use(struct cache *c)
{
	cache_begin_view(c);
	for (size_t i = 0; i < c->n_prime; i++) {
		struct cache_piece *p = &c->prime[i];

		*p = (struct cache_piece){.addr = p->addr, .older = join_ranges(p->recent, p->older)};
	}
	/* `older` expires with the next view. */
	c->n_views = CACHE_MAX_AGE - 1;
}

struct cache_slot *cache_find(struct cache *c, uint64_t addr)
{
	hash_for_each(i, &c->index, hash_page(addr))
	{
		if (c->slots[i].addr == addr)
			return &c->slots[i];
	}
	return NULL;
}

static unsigned char *page_storage(struct cache *c, size_t n)
{
	if (n / CHUNK_PAGES == c->n_chunks) {
		if (!VECTOR_GROW(c->chunks, c->n_chunks, c->cap_chunks))
			return NULL;
		void *chunk = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQ_REL);
		/* Populate all pages at once: a page fault for each costs more than filling it. */
		if (!chunk)
			chunk = mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (chunk == MAP_FAILED)
			return NULL;
		c->chunks[c->n_chunks++] = chunk;
	}
	return c->chunks[n / CHUNK_PAGES] + (n % CHUNK_PAGES) * CACHE_PAGE;
}

struct cache_slot *cache_add(struct cache *c, uint64_t addr)
{
	if (c->n_slots == CACHE_MAX_PAGES || !VECTOR_GROW(c->slots, c->n_slots, c->cap_slots))
		return NULL;
	unsigned char *page = page_storage(c, c->n_slots);
	if (!page || !hash_add(&c->index, hash_page(addr), (uint32_t)c->n_slots))
		return NULL;
	struct cache_slot *s = &c->slots[c->n_slots];
	*s = (struct cache_slot){.addr = addr, .page = page};
	c->n_slots++;
	return s;
}

void cache_truncate(struct cache *c, size_t n)
{
	if (n == 0)
		hash_clear(&c->index);
	else
		for (size_t i = n; i < c->n_slots; i++)
			hash_remove(&c->index, hash_page(c->slots[i].addr), (uint32_t)i);
	if (n < c->n_slots)
		c->n_slots = n;
}
