/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts and their escaping. */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/utf8.h"
#include "exit_code.h"

void text_exit_without_memory(void)
{
	static const char message[] = "ompdctl: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(EXIT_CONNECT);
	_exit(EXIT_CONNECT);
}

void *text_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		text_exit_without_memory();
	return p;
}

char *text_strdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		text_exit_without_memory();
	return copy;
}

void text_add_bytes(struct buf *t, const char *s, size_t len)
{
	if (buf_append(t, s, len))
		text_exit_without_memory();
}

void text_add(struct buf *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_vprintf(struct buf *t, const char *format, va_list args)
{
	if (buf_vprintf(t, format, args))
		text_exit_without_memory();
}

void text_printf(struct buf *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

void text_add_count(struct buf *t, size_t n, const char *noun)
{
	text_printf(t, "%zu %s%s", n, noun, n == 1 ? "" : "s");
}

/* Return whether a character would move the cursor, hide text or change its direction. */
static int is_dangerous(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0xfeff)
		return 1;
	if ((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e))
		return 1;
	return (c >= 0x2060 && c <= 0x206f) || (c >= 0xfff9 && c <= 0xfffb) || c >= 0xe0000;
}

void text_add_safe(struct buf *t, const char *s, int utf8)
{
	while (*s) {
		uint32_t c = 0;
		size_t len = utf8_decode(s, UTF8_MAX_SEQUENCE, &c);

		if (!len || c < 0x20 || c == 0x7f) {
			text_printf(t, "\\x%02x", (unsigned char)*s++);
			continue;
		}
		if (c == 0xb5 && !utf8)
			text_add(t, "u"); /* µs */
		else if (is_dangerous(c) || (c >= 0x80 && !utf8))
			text_printf(t, "\\u{%x}", c);
		else
			text_add_bytes(t, s, len);
		s += len;
	}
	text_add(t, ""); /* an empty text is no NULL */
}

void text_add_json(struct buf *t, const char *s, size_t len)
{
	const char *end = s + len, *plain = s;

	while (s < end) {
		uint32_t c;
		size_t n = utf8_decode(s, (size_t)(end - s), &c);

		if (n && (c < 0x7f || !is_dangerous(c))) {
			s += n;
			continue;
		}
		text_add_bytes(t, plain, (size_t)(s - plain));
		if (!n)
			text_add(t, "\\ufffd"); /* not a valid character */
		else if (c < 0x10000)
			text_printf(t, "\\u%04x", c);
		else
			text_printf(t, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
		s += n ? n : 1;
		plain = s;
	}
	text_add_bytes(t, plain, (size_t)(s - plain));
}

void text_add_coloured(struct buf *t, const struct style *style, enum colour colour, const char *s)
{
	static const char *const codes[] = {
		[COLOUR_NONE] = "",   [COLOUR_BOLD] = "1",     [COLOUR_DIM] = "2",
		[COLOUR_RED] = "31",  [COLOUR_GREEN] = "32",   [COLOUR_YELLOW] = "33",
		[COLOUR_BLUE] = "34", [COLOUR_MAGENTA] = "35", [COLOUR_CYAN] = "36",
	};

	if (!style->colour || colour == COLOUR_NONE || !*s) {
		text_add(t, s);
		return;
	}
	text_printf(t, "\033[%sm%s\033[0m", codes[colour], s);
}

void text_add_repeated(struct buf *t, const char *s, size_t n)
{
	while (n--)
		text_add(t, s);
}

/* Return the screen columns of a character. For a character that the locale lacks, wcwidth() fails, and 1 is
 * assumed. */
static size_t count_columns(uint32_t c)
{
	if (c < 0x80)
		return 1;
	int n = wcwidth((wchar_t)c);
	return n < 0 ? 1 : (size_t)n;
}

/* Decode the next character of @s, of at least one byte. Returns its screen columns. */
static size_t skip_character(const char **s)
{
	uint32_t c;
	size_t len = utf8_decode(*s, UTF8_MAX_SEQUENCE, &c);

	*s += len ? len : 1;
	return len ? count_columns(c) : 1;
}

size_t text_width(const char *s)
{
	size_t columns = 0;

	while (*s)
		columns += skip_character(&s);
	return columns;
}

size_t text_fit(const char *s, size_t columns)
{
	const char *fits = s, *at = s;

	for (size_t used = 0; *at; fits = at) {
		used += skip_character(&at);
		if (used > columns)
			break;
	}
	return (size_t)(fits - s);
}

char *text_read(int fd, size_t max)
{
	struct buf t = {0};
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && t.len <= max)
		text_add_bytes(&t, chunk, (size_t)n);
	if (n < 0 || t.len > max) {
		if (n >= 0)
			errno = EFBIG;
		buf_deinit(&t);
		return NULL;
	}
	return text_take(&t);
}

char *text_take(struct buf *t)
{
	char *s = t->data ? t->data : text_strdup("");

	*t = (struct buf){0};
	return s;
}
