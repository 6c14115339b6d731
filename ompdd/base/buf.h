/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing byte buffer, consumed from the front: input and output queues of connections. */
#ifndef OMPDD_BASE_BUF_H
#define OMPDD_BASE_BUF_H

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

/* The first unconsumed byte; valid until the next append. NULL when nothing was ever stored. */
static inline char *buf_head(const struct buf *b)
{
	return b->data ? b->data + b->start : NULL;
}

/* Append @len bytes. ERR_INTERNAL_ERROR when memory is out. */
MUST_USE struct error *buf_append(struct buf *b, const void *data, size_t len);

/* Make room for @len more bytes and return where they go in @ret; commit with buf_commit(). */
MUST_USE struct error *buf_reserve(struct buf *b, size_t len, char **ret);
void buf_commit(struct buf *b, size_t len);

/* Drop @len bytes (at most b->len) from the front. Gives memory back when empty and large. */
void buf_consume(struct buf *b, size_t len);

#endif
