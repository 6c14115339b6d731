/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A growing string of bytes: texts, and the queues of connections, which are consumed from the front. A NUL follows the
 * bytes.
 */
#ifndef OMPDD_BASE_BUF_H
#define OMPDD_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/error.h"

struct buf {
	char *data; /* storage; valid bytes are data[start .. start+len) */
	size_t start;
	size_t len;
	size_t cap;
};

/* All zeroes is a valid empty buffer. */
void buf_deinit(struct buf *b);

/* Return the first unconsumed byte; valid until the next append. NULL if nothing was ever stored. */
static inline char *buf_head(const struct buf *b)
{
	return b->data ? b->data + b->start : NULL;
}

/* Append @len bytes. Returns ERR_INTERNAL_ERROR if memory is out. */
MUST_USE struct error *buf_append(struct buf *b, const void *data, size_t len);

/* Append a formatted text. Returns ERR_INTERNAL_ERROR if memory is out. */
MUST_USE struct error *buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
MUST_USE struct error *buf_vprintf(struct buf *b, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Reserve @len more bytes and return their place in @ret; commit them with buf_commit(). */
MUST_USE struct error *buf_reserve(struct buf *b, size_t len, char **ret);
void buf_commit(struct buf *b, size_t len);

/* Drop @len bytes (at most b->len) from the front. Frees the memory of a large buffer that becomes empty. */
void buf_consume(struct buf *b, size_t len);

#endif
