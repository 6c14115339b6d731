/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unpacks compressed core files with zlib and libzstd, with limits. libdwfl could unpack too, but only to memory and
 * without a limit.
 */
#include "target/core/core_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "target/sandbox/broker.h"
#include "target/elf/file_format.h"

#define CHUNK 131072
/* Zeroes of this length become a hole. */
#define HOLE 4096

/* The unpacked file so far. */
struct output {
	const char *path;
	int fd;
	uint64_t size;
	uint64_t written, space; /* bytes without holes: so far, and the limit */
	unsigned char buf[CHUNK];
};

static struct error *open_output(struct output *out)
{
	char dir[NAME_MAX];

	out->fd = broker_create_file(dir, sizeof(dir));
	if (out->fd >= 0)
		return NULL;
	return error_hint(error_create(ERR_CORE_TOO_LARGE, "cannot unpack the core %s into %s: %s", out->path, dir,
				       strerror(errno)),
			  "unpack it yourself, or start ompdd with another $TMPDIR");
}

/* Reopen the file read-only: the OMPD library must not get a writable descriptor. */
static int reopen_for_reading(int fd TAKES)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	int readable = open(name, O_RDONLY | O_CLOEXEC);
	if (readable < 0)
		return fd;
	close(fd);
	return readable;
}

static bool is_zero(const unsigned char *p, size_t n)
{
	return !p[0] && !memcmp(p, p + 1, n - 1);
}

static struct error *write_block(struct output *out, const unsigned char *p, size_t n, uint64_t at)
{
	while (n) {
		ssize_t done = pwrite(out->fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_hint(error_create(ERR_CORE_TOO_LARGE, "cannot unpack the core %s: %s", out->path,
						       strerror(errno)),
					  "unpack it yourself, or start ompdd with a $TMPDIR that has room");
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return NULL;
}

/* Append the first @n bytes of the buffer. */
static struct error *write_output(struct output *out, size_t n)
{
	if (out->size + n > CORE_MAX_UNPACKED)
		return error_create(ERR_CORE_TOO_LARGE, "the core %s unpacks to more than %llu GiB", out->path,
				    CORE_MAX_UNPACKED >> 30);
	for (size_t at = 0; at < n; at += HOLE) {
		size_t len = n - at < HOLE ? n - at : HOLE;

		if (is_zero(out->buf + at, len))
			continue;
		if (out->written + len > out->space)
			return error_hint(error_create(ERR_CORE_TOO_LARGE, "the core %s unpacks to more than %llu MB",
						       out->path, (unsigned long long)out->space >> 20),
					  "unpack it yourself, or start ompdd with a larger --core-space");
		out->written += len;
		struct error *err = write_block(out, out->buf + at, len, out->size + at);
		if (err)
			return err;
	}
	out->size += n;
	return NULL;
}

static struct error *error_damaged(const struct output *out, const char *why)
{
	return error_create(ERR_CORE_DAMAGED, "cannot unpack the compressed core %s: %s", out->path, why);
}

/* Read up to CHUNK bytes of the file into @input; 0 at its end. */
static struct error *read_packed(int fd, const struct output *out, unsigned char *input, size_t *n_ret)
{
	ssize_t n;

	do
		n = read(fd, input, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_create(ERR_CORE_UNREADABLE, "cannot read the core %s: %s", out->path, strerror(errno));
	*n_ret = (size_t)n;
	return NULL;
}

/*
 * Unpack all input of @z. *@state_ret is the last result of inflate(). Z_STREAM_END comes at the end of a member;
 * another one may follow, and other bytes there are not data (RFC 1952; gzip agrees).
 */
static struct error *inflate_input(z_stream *z, struct output *out, int *state_ret)
{
	do {
		if (*state_ret == Z_STREAM_END) {
			if (!z->avail_in || *z->next_in != 0x1f)
				return NULL;
			inflateReset(z);
		}
		z->next_out = out->buf;
		z->avail_out = CHUNK;
		int state = inflate(z, Z_NO_FLUSH);
		if (state == Z_MEM_ERROR)
			return &error_nomem;
		if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
			return error_damaged(out, z->msg ? z->msg : "it needs a dictionary");
		struct error *err = write_output(out, CHUNK - z->avail_out);
		if (err)
			return err;
		*state_ret = state;
	} while (z->avail_in || !z->avail_out);
	return NULL;
}

/* gzread() is not used: from zlib 1.3.2 on it takes damaged data for the end. */
static struct error *unpack_gzip(int fd, struct output *out, bool *cut_ret)
{
	_cleanup_free_ unsigned char *input = malloc(CHUNK);
	z_stream z = {0};
	struct error *err = NULL;
	int state = Z_OK;
	size_t n = 0;

	if (!input || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return &error_nomem;
	while (!err && !(err = read_packed(fd, out, input, &n)) && n) {
		z.next_in = input;
		z.avail_in = (uInt)n;
		err = inflate_input(&z, out, &state);
	}
	/* The file ended in the middle of the data. */
	*cut_ret = !err && state != Z_STREAM_END;
	inflateEnd(&z);
	return err;
}

static struct error *unpack_zstd(int fd, struct output *out, bool *cut_ret)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	_cleanup_free_ unsigned char *input = malloc(CHUNK);
	struct error *err = NULL;
	size_t state = 0;

	if (!stream || !input)
		err = &error_nomem;
	while (!err) {
		size_t n = 0;

		err = read_packed(fd, out, input, &n);
		if (err || !n)
			break;
		ZSTD_inBuffer in = {input, n, 0};
		bool full = false;
		while (!err && (in.pos < in.size || full)) {
			ZSTD_outBuffer to = {out->buf, CHUNK, 0};

			state = ZSTD_decompressStream(stream, &to, &in);
			if (ZSTD_isError(state))
				err = error_damaged(out, ZSTD_getErrorName(state));
			else
				err = write_output(out, to.pos);
			/* The decoder may retain output that did not fit. */
			full = to.pos == to.size && state;
		}
	}
	*cut_ret = !err && state != 0;
	ZSTD_freeDStream(stream);
	return err;
}

struct error *core_unpack(int fd, const char *path, uint64_t space, int *fd_ret, bool *cut_ret)
{
	unsigned char first[FILE_FORMAT_BYTES];
	ssize_t n = pread(fd, first, sizeof(first), 0);
	const struct file_format *format = file_format_find(first, n > 0 ? (size_t)n : 0);

	*fd_ret = -1;
	*cut_ret = false;
	if (!format)
		return NULL;
	if (format->kind == FILE_FORMAT_OTHER)
		return file_format_error(format, path);
	_cleanup_free_ struct output *out = malloc(sizeof(*out));
	if (!out)
		return &error_nomem;
	out->path = path;
	out->size = 0;
	out->written = 0;
	out->space = space;
	struct error *err = open_output(out);
	if (err)
		return err;
	err = format->kind == FILE_FORMAT_GZIP ? unpack_gzip(fd, out, cut_ret) : unpack_zstd(fd, out, cut_ret);
	if (!err && ftruncate(out->fd, (off_t)out->size))
		err = error_create_errno(errno, "unpack the core");
	if (err) {
		close(out->fd);
		return err;
	}
	*fd_ret = reopen_for_reading(out->fd);
	return NULL;
}
