/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements two framings over a byte stream: lines and Content-Length headers. */
#include "rpc/framing.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The longest header block before a text, and the longest single header. */
#define FRAMING_MAX_HEADER 1024

void framing_init(struct framing *f, bool http_allowed, size_t max_message)
{
	*f = (struct framing){.http_allowed = http_allowed, .max_message = max_message};
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_space(struct framing *f, struct buf *in)
{
	size_t n = 0;

	if (f->scanned > 0 || f->expected > 0)
		return;
	while (n < in->len && is_space(buf_head(in)[n]))
		n++;
	if (n > 0)
		buf_consume(in, n);
}

static bool is_http_verb(char c)
{
	/*
	 * First letters of GET, POST, PUT, PATCH, HEAD, DELETE, OPTIONS and TRACE. CONNECT starts like Content-Length.
	 */
	return c == 'G' || c == 'P' || c == 'H' || c == 'D' || c == 'O' || c == 'T';
}

static struct error *detect_kind(struct framing *f, char first)
{
	if (first == '{' || first == '[') {
		f->kind = FRAMING_LINES;
	} else if (first == 'C') {
		f->kind = FRAMING_CONTENT_LENGTH;
	} else if (is_http_verb(first)) {
		if (!f->http_allowed)
			return error_hint(error_create(ERR_PARSE_ERROR, "this listener does not speak HTTP"),
					  "use an http: or unix: listener for HTTP; send one "
					  "JSON-RPC 2.0 object per line here");
		f->kind = FRAMING_HTTP;
	} else {
		return error_create(ERR_PARSE_ERROR, "byte 0x%02x starts neither a JSON text nor a known framing",
				    (unsigned char)first);
	}
	return NULL;
}

static struct error *refuse_length(const struct framing *f)
{
	return error_hint(error_create(ERR_LIMIT_EXCEEDED, "the message is longer than %zu bytes", f->max_message),
			  "daemon.info shows max_message_bytes; send smaller messages");
}

static struct error *find_line(struct framing *f, struct buf *in, bool eof, const char **text_ret, size_t *len_ret)
{
	const char *head = buf_head(in);
	const char *end = memchr(head + f->scanned, '\n', in->len - f->scanned);
	size_t len = end ? (size_t)(end - head) : in->len;

	if (len > f->max_message)
		return refuse_length(f);
	if (!end && !eof) {
		f->scanned = in->len;
		return NULL;
	}
	*text_ret = head;
	*len_ret = len;
	return NULL;
}

static struct error *refuse_header(const char *why)
{
	return error_hint(error_create(ERR_PARSE_ERROR, "malformed header: %s", why),
			  "send \"Content-Length: N\", an empty line, and N bytes of JSON; lines end "
			  "with CR LF");
}

/* Parse "Content-Length: N" in the @len bytes of @line. */
static struct error *parse_length(const struct framing *f, const char *line, size_t len, size_t *ret)
{
	size_t value = 0;
	size_t i = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	while (len > i && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	if (i == len)
		return refuse_header("Content-Length has no value");
	for (; i < len; i++) {
		if (line[i] < '0' || line[i] > '9')
			return refuse_header("Content-Length is not a number");
		value = value * 10 + (size_t)(line[i] - '0');
		if (value > f->max_message)
			return refuse_length(f);
	}
	if (value == 0)
		return refuse_header("Content-Length is 0");
	*ret = value;
	return NULL;
}

/* Parse one header block of @len bytes, without the empty line. */
static struct error *parse_headers(const struct framing *f, const char *block, size_t len, size_t *ret)
{
	static const char name[] = "Content-Length";
	size_t value = 0;

	while (len > 0) {
		const char *end = memmem(block, len, "\r\n", 2);
		size_t line = end ? (size_t)(end - block) : len;
		const char *colon = memchr(block, ':', line);

		if (!colon || colon == block)
			return refuse_header("a line is not \"Name: value\"");
		if ((size_t)(colon - block) == strlen(name) && !strncasecmp(block, name, strlen(name))) {
			if (value)
				return refuse_header("Content-Length comes twice");
			struct error *err = parse_length(f, colon + 1, line - (size_t)(colon + 1 - block), &value);
			if (err)
				return err;
		}
		for (size_t i = 0; i < line; i++) {
			if ((unsigned char)block[i] < 0x20 && block[i] != '\t')
				return refuse_header("a control character");
		}
		block += end ? line + 2 : line;
		len -= end ? line + 2 : line;
	}
	if (!value)
		return refuse_header("no Content-Length");
	*ret = value;
	return NULL;
}

static struct error *find_counted_text(struct framing *f, struct buf *in, const char **text_ret, size_t *len_ret)
{
	if (f->expected == 0) {
		const char *head = buf_head(in);
		/* The end may overlap the part that was searched before. */
		size_t from = f->scanned > 3 ? f->scanned - 3 : 0;
		const char *end = memmem(head + from, in->len - from, "\r\n\r\n", 4);

		if (!end) {
			if (in->len >= FRAMING_MAX_HEADER + 4)
				return refuse_header("the header does not end");
			f->scanned = in->len;
			return NULL;
		}
		if ((size_t)(end - head) > FRAMING_MAX_HEADER)
			return refuse_header("too long");
		size_t expected = 0;
		struct error *err = parse_headers(f, head, (size_t)(end - head), &expected);
		if (err)
			return err;
		buf_consume(in, (size_t)(end - head) + 4);
		f->scanned = 0;
		f->expected = expected;
	}
	if (in->len < f->expected)
		return NULL;
	*text_ret = buf_head(in);
	*len_ret = f->expected;
	return NULL;
}

struct error *framing_next(struct framing *f, struct buf *in, bool eof, const char **text_ret, size_t *len_ret)
{
	const char *text = NULL;
	size_t len = 0;
	struct error *err = NULL;

	skip_space(f, in);
	if (in->len > 0 && f->kind == FRAMING_UNKNOWN)
		err = detect_kind(f, buf_head(in)[0]);
	if (!err && in->len > 0 && f->kind == FRAMING_LINES)
		err = find_line(f, in, eof, &text, &len);
	if (!err && in->len > 0 && f->kind == FRAMING_CONTENT_LENGTH)
		err = find_counted_text(f, in, &text, &len);
	if (!err && eof && !text && f->kind == FRAMING_CONTENT_LENGTH && (in->len > 0 || f->expected > 0))
		err = error_detail(error_create(ERR_PARSE_ERROR, "the input ended in the middle of a message"),
				   "reason", "half_message");
	if (err)
		return err;
	*text_ret = text;
	*len_ret = len;
	return NULL;
}

void framing_done(struct framing *f, struct buf *in, size_t len)
{
	buf_consume(in, len);
	f->scanned = 0;
	f->expected = 0;
}

struct error *framing_write(const struct framing *f, struct buf *out, const char *text, size_t len)
{
	struct error *err;

	if (f->kind == FRAMING_CONTENT_LENGTH) {
		char header[48];
		int n = snprintf(header, sizeof(header), "Content-Length: %zu\r\n\r\n", len);

		err = buf_append(out, header, (size_t)n);
		return err ? err : buf_append(out, text, len);
	}
	err = buf_append(out, text, len);
	return err ? err : buf_append(out, "\n", 1);
}
