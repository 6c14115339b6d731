/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strict JSON, the same with every version of json-c, which makes the values. Called by message.c.
 */
#ifndef OMPDD_RPC_MESSAGE_TEXT_H
#define OMPDD_RPC_MESSAGE_TEXT_H

#include <stddef.h>

#include "base/error.h"

struct json_object;

/*
 * Parse the whole of @text as one JSON value. ERR_PARSE_ERROR with the detail "reason" (syntax,
 * utf8, depth, integer_range, duplicate_key, nul) and mostly "offset"; ERR_LIMIT_EXCEEDED for more
 * than MESSAGE_MAX_VALUES values. JSON null is *@ret NULL. The caller owns *@ret.
 */
MUST_USE struct error *message_text_parse(const char *text, size_t len, struct json_object **ret);

#endif
