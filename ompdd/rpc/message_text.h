/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strict JSON parsing with the same results for every version of json-c, which builds the values. */
#ifndef OMPDD_RPC_MESSAGE_TEXT_H
#define OMPDD_RPC_MESSAGE_TEXT_H

#include <stddef.h>

#include "base/error.h"

struct json_object;

struct json_member;

/*
 * Parse the whole of @text as one JSON value. Returns ERR_PARSE_ERROR with the detail "reason" (syntax, utf8, depth,
 * integer_range, duplicate_key, nul) and mostly "offset". Returns ERR_LIMIT_EXCEEDED for more than MESSAGE_MAX_VALUES
 * values. *@ret is NULL for JSON null. The caller owns *@ret. @member may be NULL; its name must be set, and on success
 * its positions are set.
 */
MUST_USE struct error *message_text_parse(const char *text, size_t len, struct json_member *member,
					  struct json_object **ret);

/*
 * The same for a text that message_text_parse() has already accepted, perhaps in another process: skips the checks that
 * json-c lacks.
 */
MUST_USE struct error *message_text_parse_checked(const char *text, size_t len, struct json_object **ret);

#endif
