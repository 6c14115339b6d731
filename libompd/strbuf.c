/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing texts in the tool's memory, for api/icv.c and the backends. */
#include "strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "callbacks.h"

void strbuf_deinit(struct strbuf *buf)
{
	cb_free(buf->data);
	memset(buf, 0, sizeof(*buf));
}

void strbuf_append(struct strbuf *buf, const char *bytes, size_t length)
{
	if (!buf || buf->rc != ompd_rc_ok)
		return;
	if (length > STRBUF_MAX || buf->length + length + 1 > STRBUF_MAX) {
		buf->rc = ompd_rc_error;
		return;
	}
	buf->rc = cb_reserve(&buf->data, &buf->capacity, buf->length, length + 1, 1);
	if (buf->rc != ompd_rc_ok)
		return;
	memcpy(buf->data + buf->length, bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!buf)
		return;
	va_start(args, format);
	int length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(text)) {
		if (buf->rc == ompd_rc_ok)
			buf->rc = ompd_rc_error;
		return;
	}
	strbuf_append(buf, text, (size_t)length);
}

ompd_rc_t strbuf_return(struct strbuf *buf, ompd_rc_t rc, const char **ret)
{
	if (rc == ompd_rc_ok) {
		strbuf_append(buf, "", 0);
		rc = buf->rc;
	}
	if (rc == ompd_rc_ok) {
		*ret = buf->data;
		buf->data = NULL;
	}
	strbuf_deinit(buf);
	return rc;
}
