/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the rows of a view as a table, and the parts of its cells that trees have, too: sets and colours. */
#ifndef OMPDD_CLI_DRAW_TABLE_H
#define OMPDD_CLI_DRAW_TABLE_H

#include <stddef.h>

#include "text.h"

struct json_object;

/* Append rows below a header line. */
void draw_table(struct json_object *columns, struct json_object *rows, const struct style *style, struct buf *out);

/* Return the colour of a "state". */
enum colour draw_colour(struct json_object *state);

/* Append @s; each of its words that is a set of numbers longer than @max_width (0: no limit) ends with ",..". */
void draw_sets(struct buf *out, const char *s, size_t max_width);

#endif
