/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks whether pages are in memory, and waits in a helper thread for those that are not. */
#include "target/reach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/aside.h"

#define PAGE	   4096
#define PM_PRESENT (1ull << 63) /* in an entry of /proc/PID/pagemap */

struct reach {
	int memfd;
	int mapfd;
	struct aside *aside; /* NULL until first use */
	bool away;	     /* its read is still pending */
	/* The request to the helper thread. */
	uint64_t addr;
	size_t len;
	ssize_t got;
	char bytes[PAGE];
};

struct reach *reach_create(int memfd, int mapfd)
{
	struct reach *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->memfd = memfd;
	r->mapfd = mapfd;
	return r;
}

void reach_destroy(struct reach *r)
{
	if (!r)
		return;
	bool is_back = !r->aside || aside_await_for(r->aside, 0);
	aside_destroy(r->aside);
	/* A helper thread with a pending read still uses the descriptors and the memory: they stay open. */
	if (!is_back)
		return;
	close(r->memfd);
	if (r->mapfd >= 0)
		close(r->mapfd);
	free(r);
}

bool reach_is_present(struct reach *r, uint64_t addr, size_t len)
{
	uint64_t entry;

	for (uint64_t page = addr / PAGE; page <= (addr + len - 1) / PAGE; page++) {
		if (pread(r->mapfd, &entry, sizeof(entry), (off_t)(page * sizeof(entry))) != sizeof(entry) ||
		    !(entry & PM_PRESENT))
			return false;
	}
	return true;
}

static void fetch(void *arg)
{
	struct reach *r = arg;

	r->got = pread(r->memfd, r->bytes, r->len, (off_t)r->addr);
}

/* Read at most a page in the helper thread. */
static bool send_for(struct reach *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms)
{
	if (!r->aside) {
		struct error *err = aside_create("ompdd-reader", 0, &r->aside);

		if (err) {
			error_destroy(err);
			return false;
		}
	}
	if (r->away && !aside_await_for(r->aside, 0))
		return false;
	r->addr = addr;
	r->len = len;
	aside_begin(r->aside, fetch, r);
	r->away = !aside_await_for(r->aside, limit_ms);
	if (r->away || r->got != (ssize_t)len)
		return false;
	memcpy(buf, r->bytes, len);
	return true;
}

bool reach_read(struct reach *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms)
{
	while (len) {
		size_t n = PAGE - addr % PAGE < len ? PAGE - addr % PAGE : len;
		bool ok = reach_is_present(r, addr, n) ? pread(r->memfd, buf, n, (off_t)addr) == (ssize_t)n
						       : send_for(r, addr, buf, n, limit_ms);

		if (!ok)
			return false;
		addr += n;
		buf = (char *)buf + n;
		len -= n;
	}
	return true;
}

bool reach_is_late(const struct reach *r)
{
	return r->away;
}
