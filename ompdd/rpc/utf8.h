/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * UTF-8 of texts that others chose: thread names, paths, messages of plugins. JSON must be valid
 * UTF-8 whatever a target calls itself.
 */
#ifndef OMPDD_RPC_UTF8_H
#define OMPDD_RPC_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* Whether the @len bytes of @text are UTF-8: no overlong forms, no surrogates, nothing behind
 * U+10FFFF. */
bool utf8_is_valid(const char *text, size_t len);

/* How many of the first bytes of @text are valid UTF-8; @len when all are. */
size_t utf8_valid_length(const char *text, size_t len);

/* A copy of @text in which each byte that is no part of valid UTF-8 reads "\xNN". NULL when memory
 * is out; caller frees. */
char *utf8_escape(const char *text);

/* A JSON string of @text, escaped as above where needed. NULL when memory is out. */
struct json_object *utf8_json(const char *text);

#endif
