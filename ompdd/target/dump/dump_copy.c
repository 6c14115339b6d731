/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads pieces of memory, skips pages that were never touched, and writes the pieces to a file. */
#include "target/dump/dump_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/stop/stopper.h"

#define PIECE (UINT64_C(1) << 20)
/* Bits of an entry of /proc/PID/pagemap: in memory, or swapped out. */
#define PM_TOUCHED (3ull << 62)

struct error *dump_copy_init(struct dump_copy *c, struct process *p, const struct dump_request *request)
{
	*c = (struct dump_copy){
		.process = p,
		.request = request,
		.page = (uint64_t)sysconf(_SC_PAGESIZE),
		.piece = malloc(PIECE),
		.mapfd = openat(process_dir(p), "pagemap", O_RDONLY | O_CLOEXEC),
	};
	c->touched = calloc(PIECE / c->page, sizeof(*c->touched));
	return c->piece && c->touched ? NULL : &error_nomem;
}

void dump_copy_deinit(struct dump_copy *c)
{
	if (c->mapfd >= 0)
		close(c->mapfd);
	free(c->piece);
	free(c->touched);
}

void dump_copy_end_stop(struct dump_copy *c)
{
	if (c->runs)
		return;
	/* ERR_STOP_TIMEOUT is no failure: the rest is copied while the process runs. */
	error_destroy(target_end_stop(&c->process->base, &c->stopped_us));
	c->runs = true;
}

struct error *dump_copy_write(int fd, const void *data, size_t len, uint64_t at)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, (const char *)data + done, len - done, (off_t)(at + done));

		if (n < 0 && errno != EINTR)
			return error_create(ERR_DUMP_FAILED, "cannot write the core: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

/* Return how many bytes from @addr on, @len at most, are all touched, or all not touched: *@is_touched_ret. */
static uint64_t same_pages(struct dump_copy *c, uint64_t addr, uint64_t len, bool *is_touched_ret)
{
	size_t want = (size_t)(len / c->page), n = 0;
	ssize_t got =
		pread(c->mapfd, c->touched, want * sizeof(*c->touched), (off_t)(addr / c->page * sizeof(*c->touched)));

	*is_touched_ret = true;
	if (got < (ssize_t)sizeof(*c->touched))
		return len;
	want = (size_t)got / sizeof(*c->touched);
	*is_touched_ret = c->touched[0] & PM_TOUCHED;
	while (n < want && !(c->touched[n] & PM_TOUCHED) == !*is_touched_ret)
		n++;
	return n * c->page;
}

/* Read up to @len bytes at @addr into the piece. *@n_ret: 0 if the first page cannot be read. */
static struct error *read_piece(struct dump_copy *c, uint64_t addr, size_t len, size_t *n_ret)
{
	struct process *p = c->process;
	struct target *t = &p->base;
	ssize_t n;

	do
		n = process_read_some(p, addr, c->piece, len);
	while (n == -EINTR);
	if (!c->runs && stopper_is_expired(t->stopper))
		dump_copy_end_stop(c);
	if (n < 0 && process_has_exited(p))
		return process_error_exited(p);
	*n_ret = n > 0 ? (size_t)n : 0;
	if (n > 0)
		stopper_hide(t->stopper, addr, c->piece, (size_t)n);
	return NULL;
}

/* Copy bytes that are no hole. */
static struct error *copy_bytes(struct dump_copy *c, uint64_t addr, size_t len, uint64_t at)
{
	while (len) {
		size_t n;
		struct error *err = read_piece(c, addr, len, &n);

		if (err)
			return err;
		if (n) {
			err = dump_copy_write(c->request->fd, c->piece, n, at);
			c->copied += n;
			c->late += c->runs ? n : 0;
		} else {
			n = c->page < len ? (size_t)c->page : len;
			c->unreadable += n;
		}
		if (err)
			return err;
		addr += n;
		at += n;
		len -= n;
	}
	return NULL;
}

struct error *dump_copy_range(struct dump_copy *c, uint64_t addr, uint64_t len, uint64_t at, bool is_anonymous)
{
	while (len) {
		uint64_t n = len < PIECE ? len : PIECE;
		bool is_touched = true;
		struct error *err = NULL;

		if (!c->request->goes_on(c->request->context))
			return error_create(ERR_DUMP_FAILED, "the client has closed the connection");
		if (is_anonymous && c->mapfd >= 0)
			n = same_pages(c, addr, n, &is_touched);
		if (is_touched)
			err = copy_bytes(c, addr, (size_t)n, at);
		if (err)
			return err;
		addr += n;
		at += n;
		len -= n;
	}
	return NULL;
}
