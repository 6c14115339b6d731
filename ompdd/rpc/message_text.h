/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strict JSON, the same with every version of json-c, which makes the values. */
#ifndef OMPDD_RPC_MESSAGE_TEXT_H
#define OMPDD_RPC_MESSAGE_TEXT_H

#include <stddef.h>

#include "base/error.h"

struct json_object;

struct json_member;

/*
 * Parse the whole of @text as one JSON value. ERR_PARSE_ERROR with the detail "reason" (syntax,
 * utf8, depth, integer_range, duplicate_key, nul) and mostly "offset"; ERR_LIMIT_EXCEEDED for more
 * than MESSAGE_MAX_VALUES values. JSON null is *@ret NULL. The caller owns *@ret. @member (may be NULL) has its name
 * set; on success the rest is found.
 */
MUST_USE struct error *message_text_parse(const char *text, size_t len, struct json_member *member,
					  struct json_object **ret);

/* The same for a text that message_text_parse() has accepted before, perhaps elsewhere: what json-c does not check is
 * not checked again. */
MUST_USE struct error *message_text_parse_checked(const char *text, size_t len, struct json_object **ret);

#endif
