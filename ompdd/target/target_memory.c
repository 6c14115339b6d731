/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a target's memory through the page cache: each page once in a view, and those of the last view together. */
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

#include "target/target_ops.h"

/* Missing pages of one read that are fetched together. */
#define READ_BATCH 64

static struct error *error_unreadable(uint64_t addr)
{
	return error_detail(error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read",
					 (unsigned long long)addr),
			    "address", "0x%llx", (unsigned long long)addr);
}

/* Fetch @n pages that are not in the cache; those that do not fit in stay out. */
static struct error *fetch(struct target *t, const uint64_t *addrs, size_t n)
{
	unsigned char *pages[READ_BATCH];
	bool ok[READ_BATCH];
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
	struct error *err = t->ops->read_pages(t, addrs, pages, k, ok);
	if (err) {
		cache_truncate(&t->cache, first);
		return err;
	}
	for (size_t i = 0; i < k; i++)
		t->cache.slots[first + i].valid = ok[i];
	return NULL;
}

/* Read the pages of the previous view again, together. */
static struct error *prime(struct target *t)
{
	struct cache *c = &t->cache;
	size_t n = c->n_prime;
	unsigned char **pages = malloc(n * sizeof(*pages));
	bool *ok = malloc(n * sizeof(*ok));
	struct error *err = NULL;
	size_t k = 0;

	c->n_prime = 0;
	if (!pages || !ok || c->n_slots) {
		free(pages);
		free(ok);
		return NULL;
	}
	for (; k < n; k++) {
		struct cache_slot *slot = cache_add(c, c->prime[k]);

		if (!slot)
			break;
		pages[k] = slot->page;
	}
	err = t->ops->read_pages(t, c->prime, pages, k, ok);
	for (size_t i = 0; i < k && !err; i++)
		c->slots[i].valid = ok[i];
	if (err)
		cache_truncate(c, 0);
	free(pages);
	free(ok);
	return err;
}

static struct error *fetch_missing(struct target *t, uint64_t addr, size_t len)
{
	uint64_t missing[READ_BATCH];
	size_t n = 0;
	uint64_t last = (addr + len - 1) & ~(uint64_t)(CACHE_PAGE - 1);

	if (t->cache.n_prime) {
		struct error *err = prime(t);

		if (err)
			return err;
	}
	for (uint64_t page = addr & ~(uint64_t)(CACHE_PAGE - 1);; page += CACHE_PAGE) {
		if (!cache_find(&t->cache, page))
			missing[n++] = page;
		if (n == READ_BATCH || (page == last && n)) {
			struct error *err = fetch(t, missing, n);

			if (err)
				return err;
			n = 0;
		}
		if (page == last)
			return NULL;
	}
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
		if (slot && slot->valid) {
			memcpy(to, slot->page + off, n);
			slot->used = true;
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
			/* The string may end before what cannot be read. */
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
	return error_detail(error_create(ERR_MEMORY_UNREADABLE,
					 "the string at 0x%llx is longer than %zu bytes",
					 (unsigned long long)start, size ? size - 1 : 0),
			    "address", "0x%llx", (unsigned long long)start);
}
