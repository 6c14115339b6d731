/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing text and its escaping. */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "failure.h"

static void exit_without_memory(void)
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
		exit_without_memory();
	return p;
}

void *text_realloc(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		exit_without_memory();
	return q;
}

char *text_strdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		exit_without_memory();
	return copy;
}

static void reserve_text(struct text *t, size_t more)
{
	size_t need = t->len + more + 1;

	if (need <= t->cap)
		return;
	size_t cap = t->cap ? t->cap : 64;
	while (cap < need)
		cap *= 2;
	t->data = text_realloc(t->data, cap, 1);
	t->cap = cap;
}

void text_add_bytes(struct text *t, const char *s, size_t len)
{
	reserve_text(t, len);
	memcpy(t->data + t->len, s, len);
	t->len += len;
	t->data[t->len] = 0;
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
	char *s = NULL;
	int len = vasprintf(&s, format, args);

	if (len < 0)
		exit_without_memory();
	text_add_bytes(t, s, (size_t)len);
	free(s);
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

/* Decode one UTF-8 character. Returns its length, or 0 if the bytes at @s are invalid. */
static size_t decode_character(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = *s < 0x80 ? 1 : (*s & 0xe0) == 0xc0 ? 2 : (*s & 0xf0) == 0xe0 ? 3 : (*s & 0xf8) == 0xf0 ? 4 : 0;

	if (!len)
		return 0;
	uint32_t c = len == 1 ? *s : *s & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return len;
}

int text_is_utf8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c;

	for (size_t len; *p; p += len) {
		len = decode_character(p, &c);
		if (!len)
			return 0;
	}
	return 1;
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

void text_add_safe(struct text *t, const char *s, int utf8)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		uint32_t c = 0;
		size_t len = decode_character(p, &c);

		if (!len || c < 0x20 || c == 0x7f) {
			text_printf(t, "\\x%02x", *p);
			p++;
			continue;
		}
		if (is_dangerous(c) || (c >= 0x80 && !utf8))
			text_printf(t, "\\u{%x}", c);
		else
			text_add_bytes(t, (const char *)p, len);
		p += len;
	}
}

void text_add_json(struct text *t, const char *s, size_t len)
{
	const char *end = s + len, *plain = s;

	while (s < end) {
		uint32_t c = (unsigned char)*s;
		size_t n = 1;

		if (c >= 0x80)
			n = decode_character((const unsigned char *)s, &c);
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

void text_add_coloured(struct text *t, const struct style *style, enum colour colour, const char *s)
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

void text_add_repeated(struct text *t, const char *s, size_t n)
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

size_t text_width(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t columns = 0;

	while (*p) {
		uint32_t c = 0;
		size_t len = decode_character(p, &c);

		columns += len ? count_columns(c) : 1;
		p += len ? len : 1;
	}
	return columns;
}

size_t text_fit(const char *s, size_t columns)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t used = 0;

	while (*p) {
		uint32_t c = 0;
		size_t len = decode_character(p, &c);
		size_t more = len ? count_columns(c) : 1;

		if (used + more > columns)
			break;
		used += more;
		p += len ? len : 1;
	}
	return (size_t)(p - (const unsigned char *)s);
}

char *text_read(int fd, size_t max)
{
	struct text t = {0};
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && t.len <= max)
		text_add_bytes(&t, chunk, (size_t)n);
	if (n < 0 || t.len > max) {
		if (n >= 0)
			errno = EFBIG;
		text_deinit(&t);
		return NULL;
	}
	return text_take(&t);
}

char *text_take(struct text *t)
{
	char *s = t->data ? t->data : text_strdup("");

	*t = (struct text){0};
	return s;
}

void text_deinit(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}
