/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One screen of ompdctl top, as lines of text: regions by their share of the time, and what each thread did last. */
#ifndef OMPDD_CLI_TOP_VIEW_H
#define OMPDD_CLI_TOP_VIEW_H

#include <stdint.h>

#include "text.h"

struct json_object;

/* What one character of a thread's strip stands for. */
#define TOP_SLOT_US 100000

enum top_sort { TOP_BY_TIME, TOP_BY_WORK, TOP_BY_BARRIER, TOP_BY_LOCK, TOP_BY_TASK, TOP_BY_IMBALANCE, TOP_SORTS };

struct top_view {
	const char *program;	    /* for people */
	struct json_object *now;    /* result of profile.get */
	struct json_object *before; /* an earlier one, from which on is shown; NULL: all since the begin */
	enum top_sort sort;
	int width, height; /* of the screen; 0: as much as it takes */
	int utf8;
};

/* "time" and so on. */
const char *top_sort_name(enum top_sort sort);

/* Append the lines, none wider than the screen nor more than it has. */
void top_view_draw(const struct top_view *v, struct text *out);

/* What the keys do, in the same way. */
void top_view_help(int width, int height, struct text *out);

#endif
