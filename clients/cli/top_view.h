/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One screen of ompdctl top, as lines of text: regions by their share of the time, and the recent states of each
 * thread. */
#ifndef OMPDD_CLI_TOP_VIEW_H
#define OMPDD_CLI_TOP_VIEW_H

#include <stdint.h>

#include "text.h"

struct json_object;

/* Time that one character of a thread's strip represents. */
#define TOP_SLOT_US 100000

enum top_sort { TOP_BY_TIME, TOP_BY_WORK, TOP_BY_BARRIER, TOP_BY_LOCK, TOP_BY_TASK, TOP_BY_IMBALANCE, TOP_SORTS };

struct top_view {
	const char *program;	    /* name of the program */
	struct json_object *now;    /* result of profile.get */
	struct json_object *before; /* an earlier result, the start of the shown period; NULL: show all */
	enum top_sort sort;
	int width, height; /* of the screen; 0: unlimited */
	int utf8;
};

/* Return the name of a sort order: "time" and so on. */
const char *top_sort_name(enum top_sort sort);

/* Append the lines; they fit the width and height of the screen. */
void top_view_draw(const struct top_view *v, struct buf *out);

/* Append the help on the keys, within the same limits. */
void top_view_help(int width, int height, struct buf *out);

#endif
