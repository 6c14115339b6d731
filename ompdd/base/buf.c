/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The growing byte buffer behind every input and output queue. */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

/* A larger buffer frees its memory when it becomes empty. */
#define BUF_KEEP  65536
#define BUF_LARGE (1u << 20)

void buf_deinit(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

struct error *buf_reserve(struct buf *b, size_t len, char **ret)
{
	if (b->start + b->len + len > b->cap && b->start > 0) {
		memmove(b->data, b->data + b->start, b->len);
		b->start = 0;
	}
	if (b->len + len > b->cap) {
		size_t cap = b->cap ? b->cap : 512;

		/* A large buffer holds data for a slow reader: grow it in small steps to save memory. */
		while (cap < b->len + len)
			cap += cap < BUF_LARGE ? cap : cap / 4;
		char *data = realloc(b->data, cap);
		if (!data)
			return &error_nomem;
		b->data = data;
		b->cap = cap;
	}
	*ret = b->data + b->start + b->len;
	return NULL;
}

void buf_commit(struct buf *b, size_t len)
{
	b->len += len;
}

struct error *buf_append(struct buf *b, const void *data, size_t len)
{
	char *where;

	if (len == 0)
		return NULL;
	struct error *err = buf_reserve(b, len, &where);
	if (err)
		return err;
	memcpy(where, data, len);
	b->len += len;
	return NULL;
}

void buf_consume(struct buf *b, size_t len)
{
	b->start += len;
	b->len -= len;
	if (b->len == 0) {
		b->start = 0;
		if (b->cap > BUF_KEEP)
			buf_deinit(b);
	}
}
