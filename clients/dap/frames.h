/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A native adapter's stacks in OpenMP's terms. Its frames stay as they are and in their order; label frames stand
 * where a region or a task was met, and behind the last frame of a thread that a region was given to goes on the stack
 * of the thread that met that region, up to main.
 */
#ifndef OMPDD_DAP_FRAMES_H
#define OMPDD_DAP_FRAMES_H

#include "view.h"

struct json_object;

/* Threads whose stacks make one logical stack. */
#define FRAMES_MAX_THREADS 64

/* One frame of the answer. */
struct frames_item {
	struct json_object *native; /* a frame of the native adapter, borrowed; NULL: a label */
	size_t thread;		    /* in the view: whose frame it is */
	size_t task;		    /* that the frame executes, or whose end the label is; SNAPSHOT_NONE: not known */
	char *label;		    /* owned; NULL for native frames */
};

struct frames {
	struct frames_item *items;
	size_t n, cap;
};

/* The threads of which frames_merge() needs the stacks, @thread first. Returns their number. */
size_t frames_threads(const struct view *v, size_t thread, size_t ret[FRAMES_MAX_THREADS]);

/*
 * Put together the stack of threads[0] from @stacks, arrays of native frames in the order of @threads; NULL where there
 * is none. What frames and tasks do not show to belong together gets no label. Returns the number of items.
 */
size_t frames_merge(const struct view *v, const size_t *threads, struct json_object *const *stacks, size_t n,
		    struct frames *ret);
void frames_deinit(struct frames *f);

/* The frame on the @stack of @thread to which the call of region @parallel returns, which it met; SNAPSHOT_NONE. */
size_t frames_caller(const struct view *v, size_t thread, size_t parallel, struct json_object *stack);

/*
 * The name of the function with the construct of region @parallel, which @thread met, by its @stack; NULL: it is not to
 * be seen. Borrowed from @stack.
 */
const char *frames_function(const struct view *v, size_t thread, size_t parallel, struct json_object *stack);

#endif
