/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of a screen of ompdctl top that shows locks: the waiting threads and their places, and the places of the
 * holders. */
#ifndef OMPDD_CLI_TOP_LOCKS_H
#define OMPDD_CLI_TOP_LOCKS_H

#include <stdint.h>

#include "text.h"

struct top_view;

/*
 * Append a table of the locks with waiting threads in the time that @v shows, longest waiting time first, below an
 * empty line. Appends nothing without such locks. @all_us: total time of all threads in that period, in microseconds.
 * A screen of limited height shows at most TOP_LOCKS_MAX.
 */
void top_locks_draw(const struct top_view *v, int64_t all_us, struct buf *out);

#define TOP_LOCKS_MAX 5

#endif
