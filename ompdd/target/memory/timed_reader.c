/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks whether pages are in memory, and waits in a helper thread for those that are not. */
#include "target/memory/timed_reader.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_thread.h"

#define PAGE	   4096
#define PM_PRESENT (1ull << 63) /* in an entry of /proc/PID/pagemap */

struct timed_reader {
	int memfd;
	int mapfd;
	struct helper_thread *helper; /* NULL until first use */
	bool away;		      /* its read is still pending */
	/* The request to the helper thread. */
	uint64_t addr;
	size_t len;
	ssize_t got;
	char bytes[PAGE];
};

struct timed_reader *timed_reader_create(int memfd, int mapfd)
{
	struct timed_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->memfd = memfd;
	r->mapfd = mapfd;
	return r;
}

void timed_reader_destroy(struct timed_reader *r)
{
	if (!r)
		return;
	bool is_back = !r->helper || helper_thread_await_for(r->helper, 0);
	helper_thread_destroy(r->helper);
	/* A helper thread with a pending read still uses the descriptors and the memory: they stay open. */
	if (!is_back)
		return;
	close(r->memfd);
	if (r->mapfd >= 0)
		close(r->mapfd);
	free(r);
}

bool timed_reader_is_present(struct timed_reader *r, uint64_t addr, size_t len)
{
	uint64_t entry;

	for (uint64_t page = addr / PAGE; page <= (addr + len - 1) / PAGE; page++) {
		if (pread(r->mapfd, &entry, sizeof(entry), (off_t)(page * sizeof(entry))) != sizeof(entry) ||
		    !(entry & PM_PRESENT))
			return false;
	}
	return true;
}

static void fetch_page(void *arg)
{
	struct timed_reader *r = arg;

	r->got = pread(r->memfd, r->bytes, r->len, (off_t)r->addr);
}

/* Read at most a page in the helper thread. */
static bool send_for(struct timed_reader *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms)
{
	if (!r->helper) {
		struct error *err = helper_thread_create("ompdd-reader", 0, &r->helper);

		if (err) {
			error_destroy(err);
			return false;
		}
	}
	if (r->away && !helper_thread_await_for(r->helper, 0))
		return false;
	r->addr = addr;
	r->len = len;
	helper_thread_begin(r->helper, fetch_page, r);
	r->away = !helper_thread_await_for(r->helper, limit_ms);
	if (r->away || r->got != (ssize_t)len)
		return false;
	memcpy(buf, r->bytes, len);
	return true;
}

bool timed_reader_read(struct timed_reader *r, uint64_t addr, void *buf, size_t len, unsigned limit_ms)
{
	while (len) {
		size_t n = PAGE - addr % PAGE < len ? PAGE - addr % PAGE : len;
		bool ok = timed_reader_is_present(r, addr, n) ? pread(r->memfd, buf, n, (off_t)addr) == (ssize_t)n
							      : send_for(r, addr, buf, n, limit_ms);

		if (!ok)
			return false;
		addr += n;
		buf = (char *)buf + n;
		len -= n;
	}
	return true;
}

bool timed_reader_is_late(const struct timed_reader *r)
{
	return r->away;
}
