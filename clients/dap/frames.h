/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A native adapter's stacks in OpenMP's terms. Its frames keep their order. Label frames mark where a region or a
 * task was encountered. Below the last frame of a team's thread, the stack continues with that of the encountering
 * thread, up to main.
 */
#ifndef OMPDD_DAP_FRAMES_H
#define OMPDD_DAP_FRAMES_H

#include "view.h"

struct json_object;

/* Threads whose stacks form one logical stack. */
#define FRAMES_MAX_THREADS 64

/* A frame of the answer. */
struct frames_item {
	struct json_object *native; /* a frame of the native adapter, borrowed; NULL: a label */
	size_t thread;		    /* index in the view: the frame's thread */
	size_t task; /* the task that the frame executes, or that the label ends; FACTS_NONE: not known */
	char *label; /* owned; NULL for native frames */
};

struct frames {
	struct frames_item *items;
	size_t n, cap;
};

/* Store the threads whose stacks frames_merge() needs, @thread first. Returns their number. */
size_t frames_threads(const struct view *v, size_t thread, size_t ret[FRAMES_MAX_THREADS]);

/*
 * Merge the stack of threads[0] from @stacks, arrays of native frames in the order of @threads; NULL: no stack.
 * Frames and tasks that do not provably belong together get no label. Returns the number of items.
 */
size_t frames_merge(const struct view *v, const size_t *threads, struct json_object *const *stacks, size_t n,
		    struct frames *ret);
void frames_deinit(struct frames *f);

/* Return the frame on the @stack of @thread to which the call of region @parallel returns; @thread encountered the
 * region. FACTS_NONE: not found. */
size_t frames_caller(const struct view *v, size_t thread, size_t parallel, struct json_object *stack);

/*
 * Return the name of the function with the construct of region @parallel, from the @stack of its encountering
 * @thread; NULL: not visible. Borrowed from @stack.
 */
const char *frames_function(const struct view *v, size_t thread, size_t parallel, struct json_object *stack);

#endif
