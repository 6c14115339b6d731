/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of OpenMP at one stop: regions with their numbers, threads in their order and with their names. */
#ifndef OMPDD_DAP_VIEW_H
#define OMPDD_DAP_VIEW_H

#include <stdbool.h>

#include "snapshot.h"

/* Steps from a task to the initial one. */
#define VIEW_MAX_STEPS 256

struct view {
	struct snapshot s;
	size_t *numbers;  /* of regions, by their index: 1 to n as a reader of the tree meets them; 0: an initial one */
	char **functions; /* of regions: the function that has the construct, if that is known; owned */
	size_t *order;	  /* threads as a reader of the tree meets them */
	size_t *by_tid; /* OpenMP threads by kernel id; of one that several runtimes know, first where it is in a region
			 */
	size_t n_by_tid;
};

/* What a thread executes, innermost first: a task of its own, or the implicit one of a region. */
struct view_step {
	size_t task;
	bool is_region;	 /* else it is an explicit task */
	size_t parallel; /* the region, or that which the task is bound to */
	size_t outer;	 /* the task that generated it; SNAPSHOT_NONE */
	bool leaves;	 /* @outer is executed by another thread */
};

struct view_chain {
	struct view_step steps[VIEW_MAX_STEPS];
	size_t n;
	bool is_whole; /* down to the initial task, or to one of another thread */
};

/* Of a result of snapshot.get and one of target.info or target.attach, which may be NULL. */
struct view *view_create(struct json_object *result, struct json_object *info);
void view_destroy(struct view *v);

/* The OpenMP thread with kernel id @tid; SNAPSHOT_NONE. */
size_t view_thread(const struct view *v, int64_t tid);
/* Whether that thread is in a parallel region that is not an initial one. */
bool view_in_region(const struct view *v, size_t thread);
/* The region with that number; SNAPSHOT_NONE. */
size_t view_region(const struct view *v, size_t number);

/* The thread that met @parallel, as number 0 of its team; SNAPSHOT_NONE: it is not to be seen. */
size_t view_who_met(const struct view *v, size_t parallel);

/* "1.3 barrier, solve"; "idle". The caller frees it. */
char *view_thread_name(const struct view *v, size_t thread);
/* "parallel region 1, solve (level 1)"; of a task "explicit task f". Appended to @t. */
void view_add_region(const struct view *v, size_t parallel, struct text *t);
void view_add_task(const struct view *v, size_t task, struct text *t);

/* The control variables of @task; NULL: the view is without them. Borrowed. */
struct json_object *view_icvs(const struct view *v, size_t task);
/* Learn the control variables of tasks from another @result, of the same process that has not run since. */
void view_take_icvs(struct view *v, struct json_object *result);
/* Learn the function of a region, as another debugger names it. */
void view_set_function(struct view *v, size_t parallel, const char *name);
/* The part of a function's name that is the program's: of "solve._omp_fn.0" "solve"; NULL when nothing is left. The
 * caller frees it. */
char *view_short_function(const char *name);

/* What @thread executes. */
void view_chain_of(const struct view *v, size_t thread, struct view_chain *ret);

#endif
