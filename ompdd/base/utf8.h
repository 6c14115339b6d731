/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * UTF-8 for texts of foreign origin: thread names, paths, messages of plugins. JSON must be valid UTF-8, whatever bytes
 * a target uses in its names.
 */
#ifndef OMPDD_BASE_UTF8_H
#define OMPDD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest sequence: a limit for utf8_decode() on a terminated text, whose NUL ends each sequence. */
#define UTF8_MAX_SEQUENCE 4

/*
 * Decode the first character of the @len bytes at @text. Returns its number of bytes and sets @ret, or returns 0 if
 * they are no UTF-8: overlong forms, surrogates and characters above U+10FFFF are invalid.
 */
size_t utf8_decode(const char *text, size_t len, uint32_t *ret);

/* Return how many of the first bytes of @text are valid UTF-8; @len if all are. */
size_t utf8_valid_length(const char *text, size_t len);

/* Return true if the @len bytes of @text are valid UTF-8. */
bool utf8_is_valid(const char *text, size_t len);

/*
 * Return a copy of @text with each invalid byte replaced by "\xNN". Returns NULL if memory is out; the caller frees the
 * copy.
 */
char *utf8_escape(const char *text);

#endif
