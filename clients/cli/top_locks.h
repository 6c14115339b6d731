/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of a screen of ompdctl top that is about locks: who waits for which, where, and where those are that have
 * it. */
#ifndef OMPDD_CLI_TOP_LOCKS_H
#define OMPDD_CLI_TOP_LOCKS_H

#include <stdint.h>

#include "text.h"

struct top_view;

/*
 * Append a table of the locks that were waited for in the time that @v shows, most waiting first, below an empty line;
 * nothing where there was none. @all_us: the time of all threads meanwhile. On a screen of limited height at most
 * TOP_LOCKS_MAX.
 */
void top_locks_draw(const struct top_view *v, int64_t all_us, struct text *out);

#define TOP_LOCKS_MAX 5

#endif
