/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps of parsing an environment variable. Each skips white space, then moves *@text behind what it has read. It
 * returns false, with *@text unchanged, if the item is missing.
 */
#ifndef OMPDD_RUNTIME_OS_PARSE_H
#define OMPDD_RUNTIME_OS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number, at most @max; a plus sign is allowed. */
bool parse_unsigned(const char **text, uint64_t max, uint64_t *ret);
/* A decimal number with or without sign. */
bool parse_signed(const char **text, int64_t *ret);
/* @word in any case, not followed by more letters of a word. */
bool parse_word(const char **text, const char *word);
/* One of @words (the last is NULL). Returns its index. */
bool parse_one_of(const char **text, const char *const *words, unsigned *ret);
bool parse_char(const char **text, char c);
/* Only white space is left. */
bool parse_end(const char *text);

#endif
