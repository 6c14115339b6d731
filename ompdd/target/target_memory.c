/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a target's memory through the page cache: each page once per view, and the pages of the last view together. */
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

#include "target/target_ops.h"

/* The number of missing pages of one read that are fetched together. */
#define READ_BATCH 64
/*
 * From this length on, a read bypasses the cache while nothing is copied or learned: it is a search that reads each
 * byte once.
 */
#define LONG_READ (64u << 10)

static struct error *error_unreadable(uint64_t addr)
{
	return error_detail(
		error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read", (unsigned long long)addr),
		"address", "0x%llx", (unsigned long long)addr);
}

struct error *target_not_copied(struct target *t)
{
	t->copy_missed = true;
	return error_create(ERR_STOP_TIMEOUT,
			    "the copy of the target lacks the requested data, and the target runs again");
}

/* noipa: GCC would use a string instruction, which is slow for the few bytes of most reads. */
static __attribute__((noipa)) void copy_bytes(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

static struct error *read_with_guesses(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				       size_t n_asked, bool *ok)
{
	struct target_piece pieces[READ_BATCH + READ_AHEAD];

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct target_piece){
			.addr = addrs[i], .to = pages[i], .len = CACHE_PAGE, .is_guess = i >= n_asked};
	struct error *err = t->ops->read_pieces(t, pieces, n);
	for (size_t i = 0; i < n && !err; i++)
		ok[i] = pieces[i].ok;
	return err;
}

/*
 * Fetch @n pages that are not in the cache. The first @n_asked are requested. Pages for which the cache has no space
 * are skipped.
 */
static struct error *fetch_pages(struct target *t, const uint64_t *addrs, size_t n, size_t n_asked)
{
	unsigned char *pages[READ_BATCH + READ_AHEAD];
	bool ok[READ_BATCH + READ_AHEAD];
	size_t first = t->cache.n_slots;
	size_t k = 0;

	for (; k < n; k++) {
		struct cache_slot *slot = cache_add(&t->cache, addrs[k]);

		if (!slot)
			break;
		pages[k] = slot->page;
	}
	if (!k)
		return NULL;
	struct error *err = k > n_asked && t->ops->read_pieces ? read_with_guesses(t, addrs, pages, k, n_asked, ok)
							       : t->ops->read_pages(t, addrs, pages, k, ok);
	if (err) {
		cache_truncate(&t->cache, first);
		return err;
	}
	for (size_t i = 0; i < k; i++) {
		/* The read may not have been tried. */
		if (!ok[i] && i >= n_asked) {
			cache_truncate(&t->cache, first + i);
			break;
		}
		t->cache.slots[first + i].valid_to = ok[i] ? CACHE_PAGE : 0;
	}
	return NULL;
}

/* Read only the used parts for a copy: the target waits for it. */
static struct error *read_pieces(struct target *t)
{
	struct cache *c = &t->cache;
	_cleanup_free_ struct target_piece *pieces = malloc(c->n_slots * sizeof(*pieces));

	if (!pieces)
		return &error_nomem;
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct cache_slot *s = &c->slots[i];
		struct cache_range range = cache_wanted(s);

		pieces[i] = (struct target_piece){
			.addr = s->addr + range.from,
			.to = s->page + range.from,
			.len = (size_t)range.to - range.from,
		};
	}
	struct error *err = t->ops->read_pieces(t, pieces, c->n_slots);
	for (size_t i = 0; i < c->n_slots && !err; i++) {
		struct cache_range range = cache_wanted(&c->slots[i]);

		c->slots[i].valid_from = pieces[i].ok ? range.from : 0;
		c->slots[i].valid_to = pieces[i].ok ? range.to : 0;
	}
	return err;
}

static struct error *read_whole(struct target *t)
{
	struct cache *c = &t->cache;
	_cleanup_free_ uint64_t *addrs = malloc(c->n_slots * sizeof(*addrs));
	_cleanup_free_ unsigned char **pages = malloc(c->n_slots * sizeof(*pages));
	_cleanup_free_ bool *ok = malloc(c->n_slots * sizeof(*ok));

	if (!addrs || !pages || !ok)
		return &error_nomem;
	for (size_t i = 0; i < c->n_slots; i++) {
		addrs[i] = c->slots[i].addr;
		pages[i] = c->slots[i].page;
	}
	struct error *err = t->ops->read_pages(t, addrs, pages, c->n_slots, ok);
	for (size_t i = 0; i < c->n_slots && !err; i++)
		c->slots[i].valid_to = ok[i] ? CACHE_PAGE : 0;
	return err;
}

struct error *target_prime(struct target *t, bool for_copy)
{
	struct cache *c = &t->cache;
	size_t n = c->n_prime;

	c->n_prime = 0;
	if (c->n_slots)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct cache_slot *slot = cache_add(c, c->prime[i].addr);

		if (!slot)
			break;
		slot->recent = c->prime[i].recent;
		slot->older = c->prime[i].older;
		slot->unused = c->prime[i].unused;
	}
	if (!c->n_slots)
		return NULL;
	struct error *err = for_copy || t->reads_pieces ? read_pieces(t) : read_whole(t);
	if (err)
		cache_truncate(c, 0);
	return err;
}

/* Choose pages to read ahead. Not while the target is held: only the target itself might be able to supply them. */
static size_t choose_ahead(struct target *t, const uint64_t *missing, size_t n, uint64_t *ret)
{
	if (n > READ_AHEAD_MAX_WIDTH || missing[n - 1] != missing[0] + (n - 1) * CACHE_PAGE || t->mode == TARGET_CORE ||
	    target_is_stopped(t))
		return 0;
	return read_ahead_choose(&t->ahead, &t->cache, missing[0], n, ret);
}

static struct error *fetch_missing(struct target *t, uint64_t addr, size_t len)
{
	uint64_t missing[READ_BATCH + READ_AHEAD];
	size_t n = 0;
	uint64_t last = (addr + len - 1) & ~(uint64_t)(CACHE_PAGE - 1);

	struct error *err = t->cache.n_prime ? target_prime(t, false) : NULL;
	if (err)
		return err;
	for (uint64_t page = addr & ~(uint64_t)(CACHE_PAGE - 1);; page += CACHE_PAGE) {
		if (!cache_find(&t->cache, page))
			missing[n++] = page;
		if (n && t->has_copy)
			return target_not_copied(t);
		if (n == READ_BATCH || (page == last && n)) {
			err = fetch_pages(t, missing, n + choose_ahead(t, missing, n, missing + n), n);
			if (err)
				return err;
			n = 0;
		}
		if (page == last)
			return NULL;
	}
}

/* Read the rest of the page at @slot: more is requested than was read ahead. */
static struct error *complete_page(struct target *t, struct cache_slot *slot)
{
	bool ok;
	struct error *err = t->ops->read_pages(t, &slot->addr, &slot->page, 1, &ok);

	if (err)
		return err;
	slot->valid_from = 0;
	slot->valid_to = ok ? CACHE_PAGE : 0;
	return NULL;
}

struct error *target_fetch(struct target *t, uint64_t addr, size_t len)
{
	struct error *err = fetch_missing(t, addr, len);

	for (size_t at = 0; at < len && !err; at += CACHE_PAGE) {
		struct cache_slot *slot = cache_find(&t->cache, addr + at);

		if (slot && (slot->valid_from || slot->valid_to < CACHE_PAGE))
			err = complete_page(t, slot);
	}
	return err;
}

struct error *target_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	unsigned char *to = buf;

	if (!len)
		return NULL;
	if (addr + len < addr)
		return error_unreadable(addr);
	struct error *err = t->ops->readable ? t->ops->readable(t) : NULL;
	if (err)
		return err;
	if (t->warming_up && len >= LONG_READ)
		return t->ops->read(t, addr, buf, len);
	struct cache_slot *slot = cache_find(&t->cache, addr & ~(uint64_t)(CACHE_PAGE - 1));
	if (!slot || (addr & (CACHE_PAGE - 1)) + len > CACHE_PAGE) {
		err = fetch_missing(t, addr, len);
		if (err)
			return err;
	}
	while (len) {
		uint64_t off = addr & (CACHE_PAGE - 1);
		size_t n = len < CACHE_PAGE - off ? len : CACHE_PAGE - off;

		slot = cache_find(&t->cache, addr - off);
		if (slot)
			cache_note_use(slot, off, off + n);
		if (slot && slot->valid_to && !t->has_copy && (off < slot->valid_from || off + n > slot->valid_to)) {
			err = complete_page(t, slot);
			if (err)
				return err;
		}
		if (slot && off >= slot->valid_from && off + n <= slot->valid_to) {
			copy_bytes(to, slot->page + off, n);
		} else if (t->has_copy) {
			/*
			 * A page that could not be read during the stop is unreadable; a page that was not copied is
			 * unknown.
			 */
			return slot && !slot->valid_to ? error_unreadable(addr) : target_not_copied(t);
		} else {
			err = t->ops->read(t, addr, to, n);
			if (err)
				return err;
		}
		addr += n;
		to += n;
		len -= n;
	}
	return NULL;
}

bool target_try_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct error *err = target_read(t, addr, buf, len);

	error_destroy(err);
	return !err;
}

bool target_try_read_raw(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct error *err = t->ops->read(t, addr, buf, len);

	error_destroy(err);
	return !err;
}

struct error *target_read_string(struct target *t, uint64_t addr, char *buf, size_t size)
{
	uint64_t start = addr;

	for (size_t len = 0; len < size;) {
		size_t n = CACHE_PAGE - (addr & (CACHE_PAGE - 1));

		if (n > size - len)
			n = size - len;
		struct error *err = target_read(t, addr, buf + len, n);
		if (error_is(err, ERR_MEMORY_UNREADABLE) && n > 1) {
			/* The string may end before the unreadable part. */
			error_destroy(err);
			n = 1;
			err = target_read(t, addr, buf + len, n);
		}
		if (err)
			return err;
		if (memchr(buf + len, '\0', n))
			return NULL;
		len += n;
		addr += n;
	}
	return error_detail(error_create(ERR_MEMORY_UNREADABLE, "the string at 0x%llx is longer than %zu bytes",
					 (unsigned long long)start, size ? size - 1 : 0),
			    "address", "0x%llx", (unsigned long long)start);
}
