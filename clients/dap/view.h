/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The OpenMP state at one stop: numbered regions, and threads in order, with names. */
#ifndef OMPDD_DAP_VIEW_H
#define OMPDD_DAP_VIEW_H

#include <stdbool.h>

#include "text.h"
#include "view/facts.h"

/* Most steps from a task to the initial one. */
#define VIEW_MAX_STEPS 256

struct view {
	struct facts s;
	struct json_object *source; /* of the facts; owned */
	struct json_object *names;  /* result of runtime.names; owned; NULL: not known */
	struct json_object *rows;   /* of view.get, one for each thread; owned; NULL: none */
	char **functions;	    /* of regions: the function with the construct, if known; owned */
	size_t *order;		    /* threads in the order of the tree */
	size_t *by_tid; /* OpenMP threads by kernel id; for a thread of several runtimes, first its entry in a region */
	size_t n_by_tid;
};

/* A step of the chain of tasks that a thread executes, innermost first: an explicit task, or the implicit task of a
 * region. */
struct view_step {
	size_t task;
	bool is_region;	 /* false: an explicit task */
	size_t parallel; /* the region, or the region to which the task is bound */
	size_t outer;	 /* the task that generated it; FACTS_NONE */
	bool leaves;	 /* another thread executes @outer */
};

struct view_chain {
	struct view_step steps[VIEW_MAX_STEPS];
	size_t n;
	bool is_whole; /* down to the initial task, or to a task of another thread */
};

/* Create a view from the results of debuggee_request_sample() and of runtime.names, which may be NULL. */
struct view *view_create(struct json_object *result, struct json_object *names);
void view_destroy(struct view *v);

/* Return the OpenMP thread with kernel id @tid, or FACTS_NONE. */
size_t view_thread(const struct view *v, int64_t tid);
/* Return whether that thread is in a parallel region other than an initial one. */
bool view_in_region(const struct view *v, size_t thread);
/* Return the region with that number, or FACTS_NONE. */
size_t view_region(const struct view *v, size_t number);

/* Return the thread that encountered @parallel, number 0 of its team; FACTS_NONE: not known. */
size_t view_encountering_thread(const struct view *v, size_t parallel);

/* Return the text of ompdd for a column of the thread; "-": not known. Borrowed. */
const char *view_thread_text(const struct view *v, size_t thread, const char *column);
/* Return "1.3 barrier, solve"; "idle". The caller frees it. */
char *view_thread_name(const struct view *v, size_t thread);
/* Append "parallel region 1, solve (level 1)" to @t; for a task "explicit task f". */
void view_add_region(const struct view *v, size_t parallel, struct buf *t);
void view_add_task(const struct view *v, size_t task, struct buf *t);

/* Return the control variables of @task; NULL: the view lacks them. Borrowed. */
struct json_object *view_icvs(const struct view *v, size_t task);
/* Take the control variables of tasks from another @result, of the same process, which has not run since. */
void view_take_icvs(struct view *v, struct json_object *result);
/* Set the function of a region to the name from another debugger. */
void view_set_function(struct view *v, size_t parallel, const char *name);
/* Determine what @thread executes. */
void view_chain_of(const struct view *v, size_t thread, struct view_chain *ret);

#endif
