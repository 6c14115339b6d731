/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The protocol's strings of fixed form: target ids, handles, and numbers that JSON readers might not represent exactly.
 */
#ifndef OMPDD_RPC_LITERAL_H
#define OMPDD_RPC_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* Return true if @text is "t" and a number from 1 to 999999999 without leading zero. */
bool literal_is_target_id(const char *text);

/* Return true if @text is a handle "TARGET:eEPOCH:KIND:N" of @kind (NULL: any). */
bool literal_is_handle(const char *text, const char *kind);

/* Parse "0x" and 1 to 16 hex digits. Returns false and leaves *@ret unchanged for other text. */
bool literal_parse_hex(const char *text, uint64_t *ret);

#endif
