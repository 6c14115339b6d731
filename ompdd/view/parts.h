/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a view's result, each in a file of its own. Each adds its members to the result @o. */
#ifndef OMPDD_VIEW_PARTS_H
#define OMPDD_VIEW_PARTS_H

#include "base/error.h"
#include "view/facts.h"
#include "view/notes.h"
#include "view/phrase.h"
#include "view/view.h"

struct node;

/* Add the members of @source that all results have, the program's name and the heading. @s is NULL for views that are
 * not based on a snapshot. */
void head_add(struct json_object *o, const struct view_request *request, struct json_object *source,
	      struct json_object *info, const struct facts *s);
/* Append runtime number @i: "libgomp 12, /usr/lib/libgomp.so.1, 4 threads", or why nothing is known about it. */
void head_add_runtime(struct buf *p, const struct facts *s, size_t i, int verbose);

/* Add "states": how many threads are in each state. */
void states_add_counts(struct json_object *o, const struct facts *s);
/* Add "states", and "tids", "numbers", "names" and "codes" with an item for each thread. */
void states_add(struct json_object *o, const struct facts *s);

/* Add "nodes" or "columns" and "rows". */
MUST_USE struct error *tree_add(struct json_object *o, const struct view_request *request, const struct facts *s,
				struct notes *notes);
MUST_USE struct error *threads_add(struct json_object *o, const struct view_request *request, const struct facts *s,
				   struct notes *notes);
MUST_USE struct error *tasks_add(struct json_object *o, const struct view_request *request, const struct facts *s,
				 struct notes *notes);
MUST_USE struct error *icvs_add(struct json_object *o, const struct view_request *request, const struct facts *s);
MUST_USE struct error *stacks_add(struct json_object *o, const struct view_request *request,
				  struct json_object *source);
MUST_USE struct error *why_add(struct json_object *o, const struct view_request *request, struct json_object *source);

MUST_USE struct error *devices_add(struct json_object *o, const struct view_request *request,
				   struct json_object *source);
/* Add nodes for the items of target_region.list to @root; a reason in their place becomes a node. */
void target_regions_add(struct node *root, struct json_object *regions, const struct view_request *request);
MUST_USE struct error *slow_add(struct json_object *o, struct json_object *source);

/* With request->graph: add "graph", and "columns" and "rows" with the places of the blocking threads. */
MUST_USE struct error *why_add_graph(struct json_object *o, struct json_object *source);
MUST_USE struct error *why_add_places(struct json_object *o, const struct view_request *request,
				      struct json_object *source);

/* Return the number in a task's handle. Borrowed. */
const char *task_number(const struct facts *s, size_t task);
/* Return the handles of the tasks that must be complete before the task starts; NULL: not known. Borrowed. */
struct json_object *task_get_predecessors(const struct facts *s, size_t task);
/* Set is_tied[] of each task that has a dependence on another task, and of the other task. */
void task_graph_mark(const struct facts *s, char *is_tied);
/* Add "graph". @is_tied: of task_graph_mark(). */
MUST_USE struct error *task_graph_add(struct json_object *o, const struct facts *s, const char *is_tied);

#endif
