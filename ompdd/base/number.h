/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of numbers that users type: decimal digits only, without a sign and without white space. */
#ifndef OMPDD_BASE_NUMBER_H
#define OMPDD_BASE_NUMBER_H

#include <inttypes.h>
#include <stdbool.h>

/* The text of all errors about such a number; its arguments are @min and @max. */
#define NUMBER_MUST_BE "must be a number from %" PRId64 " to %" PRId64

/* Parse the digits at *@text as a number of at most @max. Moves *@text behind them. Without digits, or with a greater
 * number, returns false and changes nothing.
 */
bool number_skip(const char **text, int64_t max, int64_t *ret);

/* Parse @text as a number from @min to @max. For any other text returns false and leaves *@ret unchanged. */
bool number_parse(const char *text, int64_t min, int64_t max, int64_t *ret);

#endif
