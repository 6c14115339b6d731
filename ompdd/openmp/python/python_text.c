/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads text objects, and converts them to UTF-8. */
#include "openmp/python/python_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "openmp/python/python.h"
#include "openmp/python/python_memory.h"

static uint32_t read_character(const unsigned char *bytes, unsigned width)
{
	uint32_t value = 0;

	memcpy(&value, bytes, width);
	return value;
}

static size_t write_character(uint32_t c, char *to)
{
	if (c < ' ' || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

char *python_text_decode(const unsigned char *bytes, size_t n, unsigned width)
{
	char *text = malloc(n * UTF8_MAX_SEQUENCE + 1);
	size_t len = 0;

	for (size_t i = 0; text && i < n; i++)
		len += write_character(read_character(bytes + i * width, width), text + len);
	if (text)
		text[len] = '\0';
	return text;
}

char *python_text_read(const struct python *py, uint64_t address)
{
	const struct python_layout *l = &py->layout;
	unsigned char bytes[PYTHON_MAX_TEXT * 4];
	uint64_t type, length;
	int32_t state;

	if (!python_read_word(py->t, address + l->object_type, &type) || type != py->text_type ||
	    !python_read_word(py->t, address + l->text_length, &length) || length > PYTHON_MAX_TEXT ||
	    !python_read_int(py->t, address + l->text_state, &state))
		return NULL;
	unsigned bits = (uint32_t)state >> l->text_kind_shift;
	unsigned width = bits & 7;
	bool is_compact = bits >> 3 & 1, is_ascii = bits >> 4 & 1;
	if ((width != 1 && width != 2 && width != 4) || !is_compact || (is_ascii && width != 1))
		return NULL;
	if (length && !python_read(py->t, false, address + (is_ascii ? l->text_data : l->text_data_wide), bytes,
				   (size_t)length * width))
		return NULL;
	return python_text_decode(bytes, (size_t)length, width);
}
