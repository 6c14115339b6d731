/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes UTF-8, and escapes invalid bytes. */
#include "base/utf8.h"

#include "base/buf.h"

size_t utf8_decode(const char *text, size_t len, uint32_t *ret)
{
	/* The least character of each length: a smaller one is an overlong form. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0;
	uint32_t c = n == 1 ? *s : *s & (0x7fU >> n);

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

size_t utf8_valid_length(const char *text, size_t len)
{
	size_t i = 0, n;
	uint32_t c;

	for (; i < len; i += n) {
		n = utf8_decode(text + i, len - i, &c);
		if (!n)
			break;
	}
	return i;
}

bool utf8_is_valid(const char *text, size_t len)
{
	return utf8_valid_length(text, len) == len;
}

char *utf8_escape(const char *text)
{
	struct buf out = {0};
	struct error *err = buf_append(&out, "", 0);
	uint32_t c;

	while (*text && !err) {
		size_t n = utf8_decode(text, UTF8_MAX_SEQUENCE, &c);

		err = n ? buf_append(&out, text, n) : buf_printf(&out, "\\x%02x", (unsigned char)*text);
		text += n ? n : 1;
	}
	if (err)
		buf_deinit(&out);
	error_destroy(err);
	return out.data;
}
