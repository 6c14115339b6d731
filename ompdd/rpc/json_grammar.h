/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is JSON (RFC 8259) and what is not. Not left to json-c, whose strict mode takes control
 * characters and NaN, saturates integers, and differs between versions: 0.18 refuses every letter
 * beyond ASCII.
 */
#ifndef OMPDD_RPC_JSON_GRAMMAR_H
#define OMPDD_RPC_JSON_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "rpc/message.h"

/* A member of the top-level object, or of each object in the top-level array: where its values are in the text. */
struct json_member {
	const char *name;
	size_t n; /* elements; 1 for an object */
	struct {
		size_t start, len; /* len 0: this element has none, or writes the name with escapes */
	} at[MESSAGE_MAX_BATCH];
};

static inline bool json_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* An ERR_PARSE_ERROR that says @what is at byte @offset, with the details "reason" and "offset". */
MUST_USE struct error *json_bad(size_t offset, const char *reason, const char *what);

/*
 * Whether @text, which is valid UTF-8 without NUL bytes, is one JSON value and nothing behind it
 * but space. In
 * *@n_members_ret, how many members its objects have, as they are written: the same key twice
 * counts twice. ERR_PARSE_ERROR with the detail "reason" (syntax; utf8: half of a surrogate pair;
 * nul: an escaped NUL; depth: more than MESSAGE_MAX_DEPTH; integer_range: beyond 64 bits);
 * ERR_LIMIT_EXCEEDED: more than MESSAGE_MAX_VALUES values. @member, which may be NULL, has its name set and all else
 * zero; on success the rest is found.
 */
MUST_USE struct error *json_grammar_check(const char *text, size_t len, size_t *n_members_ret,
					  struct json_member *member);

#endif
