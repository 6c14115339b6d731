/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decides whether a text is valid JSON (RFC 8259). json-c cannot: its strict mode accepts control characters and NaN,
 * and saturates integers. It also differs between versions: 0.18 refuses every letter beyond ASCII.
 */
#ifndef OMPDD_RPC_JSON_GRAMMAR_H
#define OMPDD_RPC_JSON_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "rpc/message.h"

/*
 * The position in the text of one member's values: a member of the top-level object, or of each object in the top-level
 * array.
 */
struct json_member {
	const char *name;
	size_t n; /* number of elements; 1 for an object */
	struct {
		size_t start, len; /* len 0: this element lacks the member, or writes its name with escapes */
	} at[MESSAGE_MAX_BATCH];
};

static inline bool json_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Create an ERR_PARSE_ERROR with a message that @what is at byte @offset, and the details "reason" and "offset". */
MUST_USE struct error *json_bad(size_t offset, const char *reason, const char *what);

/*
 * Check that @text is one JSON value, followed only by white space. @text must be valid UTF-8 without NUL bytes. Counts
 * the members of all objects in *@n_members_ret; a duplicate key counts twice.
 *
 * @member may be NULL. Its name must be set, all else zero; on success its positions are set.
 *
 * Returns ERR_PARSE_ERROR with the detail "reason": syntax; utf8 (half of a surrogate pair); nul (an escaped NUL);
 * depth (more than MESSAGE_MAX_DEPTH); integer_range (beyond 64 bits). Returns ERR_LIMIT_EXCEEDED for more than
 * MESSAGE_MAX_VALUES values.
 */
MUST_USE struct error *json_grammar_check(const char *text, size_t len, size_t *n_members_ret,
					  struct json_member *member);

#endif
