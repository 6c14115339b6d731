/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws the result of view.get: its head, its nodes as a tree, its rows as a table, its notes. */
#ifndef OMPDD_CLI_DRAW_H
#define OMPDD_CLI_DRAW_H

#include "text.h"

struct json_object;

/* Append the whole view. A value of a wrong type, which a foreign daemon may send, counts as missing. */
void draw_view(struct json_object *view, const struct style *style, struct buf *out);

/* Append the line with the program, and the other lines of the head. */
void draw_head(struct json_object *view, const struct style *style, struct buf *out);

/* Append the warnings. */
void draw_warnings(struct json_object *view, const struct style *style, struct buf *out);

/* Append the nodes as a tree. */
void draw_tree(struct json_object *nodes, const struct style *style, struct buf *out);

/* Append stacks; without @with_threads only the frames. */
void draw_stacks(struct json_object *nodes, const struct style *style, int with_threads, struct buf *out);
/* Append a diagnosis on one screen; with style->all, all evidence. */
void draw_why(struct json_object *nodes, const struct style *style, struct buf *out);
/* Append the tables of control variables. */
void draw_icvs(struct json_object *tables, const struct style *style, struct buf *out);

#endif
