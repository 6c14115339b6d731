/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the protocol writes as a string of a form of its own: target ids, handles, and numbers that JSON readers may not
 * hold exactly. */
#ifndef OMPDD_RPC_LITERAL_H
#define OMPDD_RPC_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* Whether @text is "t" and a number from 1 to 999999999 without leading zero. */
bool literal_is_target_id(const char *text);

/* Whether @text is a handle "TARGET:eEPOCH:KIND:N" of @kind (NULL: any). */
bool literal_is_handle(const char *text, const char *kind);

/* Parse "0x" and 1 to 16 hex digits; false leaves *@ret as it was. */
bool literal_parse_hex(const char *text, uint64_t *ret);

#endif
