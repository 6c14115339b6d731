/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The growing string behind every text, and every input and output queue. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST 64
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
	if (b->start + b->len + len + 1 > b->cap && b->start > 0) {
		memmove(b->data, b->data + b->start, b->len);
		b->start = 0;
	}
	if (b->len + len + 1 > b->cap) {
		size_t cap = b->cap ? b->cap : BUF_FIRST;

		/* A large buffer holds data for a slow reader: grow it in small steps to save memory. */
		while (cap < b->len + len + 1)
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
	b->data[b->start + b->len] = '\0';
}

struct error *buf_append(struct buf *b, const void *data, size_t len)
{
	char *where;

	struct error *err = buf_reserve(b, len, &where);
	if (err)
		return err;
	if (len)
		memcpy(where, data, len);
	buf_commit(b, len);
	return NULL;
}

struct error *buf_vprintf(struct buf *b, const char *format, va_list args)
{
	va_list again;
	char *where;

	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	struct error *err = len < 0 ? &error_nomem : buf_reserve(b, (size_t)len, &where);
	if (err)
		return err;
	vsnprintf(where, (size_t)len + 1, format, args);
	buf_commit(b, (size_t)len);
	return NULL;
}

struct error *buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	struct error *err = buf_vprintf(b, format, args);
	va_end(args);
	return err;
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
