/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The views of view.get: rows and nodes that are named, folded and ordered, so that clients only draw them. A view is
 * a pure function of the result of another method. protocol/schema/view.get.json describes the shapes.
 */
#ifndef OMPDD_VIEW_VIEW_H
#define OMPDD_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct json_object;

enum view_kind {
	VIEW_TREE,
	VIEW_THREADS,
	VIEW_TASKS,
	VIEW_ICVS,
	VIEW_SNAPSHOT,
	VIEW_STATES,
	VIEW_STACKS,
	VIEW_WHY,
	VIEW_SLOW,
	VIEW_DEVICES
};

/* Return the name of a view in the protocol: "tree". */
const char *view_name(enum view_kind kind);

struct view_request {
	enum view_kind kind;
	bool fold;	   /* equal rows and nodes share one */
	size_t fold_above; /* nodes only where there are more siblings than this */
	bool numbered;	   /* regions and tasks have numbers, and threads have ids: REGION.THREAD */
	bool verbose;	   /* texts with addresses and the reasons of missing values */
	bool graph;	   /* why: the wait graph; tasks: the graph of dependences and creators */
	size_t max_rows;   /* tasks: most rows; 0: no limit */
	/* Keys of the columns that the rows shall have, in order; NULL: all. */
	const char *const *columns;
	size_t n_columns;
};

/*
 * Build a view. @source is the result of the method on which the view is based: snapshot.get (tree, threads, tasks,
 * icvs, snapshot), thread.list (states), stack.groups or stack.get (stacks), diagnose.get (why),
 * diagnose.performance (slow), device.list (devices; with "target_regions" of
 * target_region.list, or the reason for its absence). @info is the result of target.info. On success the caller owns
 * *@ret. ERR_INVALID_PARAMS: the table has no such column.
 */
MUST_USE struct error *view_build(const struct view_request *request, struct json_object *source,
				  struct json_object *info, struct json_object **ret);

#endif
