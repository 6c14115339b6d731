/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks texts for valid UTF-8, and escapes invalid bytes. */
#include "rpc/utf8.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* Return the length of the valid UTF-8 sequence at @s (of @len > 0 bytes), or 0. */
static size_t measure_sequence(const unsigned char *s, size_t len)
{
	unsigned char lo = 0x80, hi = 0xbf; /* bounds of the second byte */
	size_t n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		n = 2;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		n = 3;
		if (s[0] == 0xe0)
			lo = 0xa0;
		if (s[0] == 0xed)
			hi = 0x9f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		n = 4;
		if (s[0] == 0xf0)
			lo = 0x90;
		if (s[0] == 0xf4)
			hi = 0x8f;
	} else {
		return 0;
	}
	if (len < n || s[1] < lo || s[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++) {
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	}
	return n;
}

size_t utf8_valid_length(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t n = measure_sequence((const unsigned char *)text + i, len - i);

		if (n == 0)
			break;
		i += n;
	}
	return i;
}

bool utf8_is_valid(const char *text, size_t len)
{
	return utf8_valid_length(text, len) == len;
}

char *utf8_escape(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strlen(text);
	char *out = malloc(4 * len + 1);
	char *p = out;

	if (!out)
		return NULL;
	for (size_t i = 0; i < len;) {
		size_t n = measure_sequence((const unsigned char *)text + i, len - i);

		if (n > 0) {
			memcpy(p, text + i, n);
			p += n;
			i += n;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = digits[(unsigned char)text[i] >> 4];
		*p++ = digits[(unsigned char)text[i] & 15];
		i++;
	}
	*p = '\0';
	return out;
}

struct json_object *utf8_json(const char *text)
{
	if (utf8_is_valid(text, strlen(text)))
		return json_object_new_string(text);

	char *escaped = utf8_escape(text);
	struct json_object *value = escaped ? json_object_new_string(escaped) : NULL;

	free(escaped);
	return value;
}
