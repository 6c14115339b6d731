/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Durations as users write them: 30, 1.5m, 2h. */
#ifndef OMPDD_CLI_DURATION_H
#define OMPDD_CLI_DURATION_H

#include "failure.h"

/*
 * Parse @text, a number with s, m, h, d or no unit (seconds). Stores the seconds, finite and at least 0, in *@ret.
 * Fails with ERR_USAGE, whose message starts with @what.
 */
struct error *duration_parse(const char *what, const char *text, double *ret);

#endif
