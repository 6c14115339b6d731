/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * UTF-8 checks for texts of foreign origin: thread names, paths, messages of plugins. JSON must be valid UTF-8,
 * whatever bytes a target uses in its names.
 */
#ifndef OMPDD_RPC_UTF8_H
#define OMPDD_RPC_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* Return true if the @len bytes of @text are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool utf8_is_valid(const char *text, size_t len);

/* Return how many of the first bytes of @text are valid UTF-8; @len if all are. */
size_t utf8_valid_length(const char *text, size_t len);

/*
 * Return a copy of @text with each invalid byte replaced by "\xNN". Returns NULL if memory is out; the caller frees the
 * copy.
 */
char *utf8_escape(const char *text);

/* Return a JSON string of @text, escaped as in utf8_escape() if necessary; NULL if memory is out. */
struct json_object *utf8_json(const char *text);

#endif
