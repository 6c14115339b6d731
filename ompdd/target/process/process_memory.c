/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the memory of a process; see process.h. */
#include "target/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/stop/stopper.h"
#include "target/memory/timed_reader.h"

static struct error *error_unreadable(const struct process *p, uint64_t addr)
{
	if (process_has_exited(p))
		return process_error_exited(p);
	return error_detail(
		error_create(ERR_MEMORY_UNREADABLE, "memory at 0x%llx cannot be read", (unsigned long long)addr),
		"address", "0x%llx", (unsigned long long)addr);
}

ssize_t process_read_some(struct process *p, uint64_t addr, void *buf, size_t len)
{
	if (!p->no_vm_readv) {
		struct iovec local = {buf, len};
		struct iovec remote = {(void *)(uintptr_t)addr, len};
		ssize_t n = process_vm_readv(p->base.pid, &local, 1, &remote, 1, 0);

		if (n >= 0)
			return n;
		if (errno == EFAULT)
			return 0;
		if (errno == ESRCH ? !process_living_thread(p) : errno != ENOSYS && errno != EPERM)
			return -errno;
		/*
		 * The call is missing, forbidden by a policy, or fails because the main thread has ended. The file of
		 * the same memory may still work: it keeps referring to this memory, whatever happens to the threads.
		 */
		p->no_vm_readv = true;
	}
	ssize_t n = pread(p->memfd, buf, len, (off_t)addr);
	if (n < 0 && errno == EIO)
		return 0;
	return n < 0 ? -errno : n;
}

/* Return NULL when memory is exhausted. */
static struct timed_reader *need_reader(struct process *p)
{
	if (!p->reader)
		p->reader = timed_reader_create(dup(p->memfd), openat(process_dir(p), "pagemap", O_RDONLY | O_CLOEXEC));
	return p->reader;
}

struct error *process_read(struct target *t, uint64_t addr, void *buf, size_t len)
{
	struct process *p = process_of(t);
	size_t done = 0;

	if (stopper_is_held(t->stopper)) {
		if (!need_reader(p) || !timed_reader_read(p->reader, addr, buf, len, t->max_stop_ms))
			return error_unreadable(p, addr);
		done = len;
	}
	while (done < len) {
		ssize_t n = process_read_some(p, addr + done, (char *)buf + done, len - done);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return error_unreadable(p, addr + done);
		done += (size_t)n;
	}
	stopper_hide(t->stopper, addr, buf, len);
	return NULL;
}

/* Make one process_vm_readv() for up to IOV_MAX pieces; join adjacent ones on the remote side. */
static ssize_t read_vector(struct process *p, const struct target_piece *pieces, size_t n)
{
	struct iovec local[IOV_MAX], remote[IOV_MAX];
	size_t n_remote = 0;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){pieces[i].to, pieces[i].len};
		if (i && pieces[i].addr == pieces[i - 1].addr + pieces[i - 1].len)
			remote[n_remote - 1].iov_len += pieces[i].len;
		else
			remote[n_remote++] = (struct iovec){(void *)(uintptr_t)pieces[i].addr, pieces[i].len};
	}
	ssize_t got = process_vm_readv(p->base.pid, local, n, remote, n_remote, 0);
	if (got < 0 && (errno == ENOSYS || errno == EPERM || (errno == ESRCH && process_living_thread(p))))
		p->no_vm_readv = true;
	return got < 0 ? -errno : got;
}

static struct error *read_pieces(struct process *p, struct target_piece *pieces, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t batch = n - done < IOV_MAX ? n - done : IOV_MAX;
		ssize_t got = 0;

		if (!p->no_vm_readv)
			got = read_vector(p, pieces + done, batch);
		if (p->no_vm_readv) {
			batch = 1;
			got = process_read_some(p, pieces[done].addr, pieces[done].to, pieces[done].len);
		}
		if (got == -EINTR)
			continue;
		if ((got == -ESRCH && !p->no_vm_readv) || (got <= 0 && got != -EFAULT && process_has_exited(p)))
			return process_error_exited(p);
		size_t left = got > 0 ? (size_t)got : 0, end = done + batch;
		for (; done < end && left >= pieces[done].len; done++) {
			left -= pieces[done].len;
			pieces[done].ok = true;
		}
		/* A short result means that the next piece is not readable. */
		if (done < end && pieces[done].is_guess)
			return NULL;
		if (done < end)
			pieces[done++].ok = false;
	}
	return NULL;
}

/* Read pages in memory together, the rest piece by piece. */
static struct error *read_held(struct process *p, struct target_piece *pieces, size_t n)
{
	if (!need_reader(p))
		return &error_nomem;
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && timed_reader_is_present(p->reader, pieces[end].addr, pieces[end].len))
			end++;
		struct error *err = end > i ? read_pieces(p, pieces + i, end - i) : NULL;
		if (err)
			return err;
		for (i = end; i < n && !timed_reader_is_present(p->reader, pieces[i].addr, pieces[i].len); i++)
			pieces[i].ok = timed_reader_read(p->reader, pieces[i].addr, pieces[i].to, pieces[i].len,
							 p->base.max_stop_ms);
	}
	return NULL;
}

struct error *process_read_pieces(struct target *t, struct target_piece *pieces, size_t n)
{
	struct process *p = process_of(t);
	struct error *err = stopper_is_held(t->stopper) ? read_held(p, pieces, n) : read_pieces(p, pieces, n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (pieces[i].ok)
			stopper_hide(t->stopper, pieces[i].addr, pieces[i].to, pieces[i].len);
	}
	return NULL;
}

struct error *process_read_pages(struct target *t, const uint64_t *addrs, unsigned char *const *pages, size_t n,
				 bool *ok)
{
	_cleanup_free_ struct target_piece *pieces = malloc((n ? n : 1) * sizeof(*pieces));

	if (!pieces)
		return &error_nomem;
	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct target_piece){.addr = addrs[i], .to = pages[i], .len = CACHE_PAGE};
	struct error *err = process_read_pieces(t, pieces, n);
	for (size_t i = 0; i < n && !err; i++)
		ok[i] = pieces[i].ok;
	return err;
}
