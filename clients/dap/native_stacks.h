/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stacks of threads at this stop, as the native adapter reports them, and the names of regions that they show. */
#ifndef OMPDD_DAP_NATIVE_STACKS_H
#define OMPDD_DAP_NATIVE_STACKS_H

#include "thread_ids.h"
#include "view.h"

/* Frames per stack that are examined. A deeper stack is treated as unknown. */
#define NATIVE_STACKS_MAX_FRAMES 512
/* Regions per stop whose functions are looked up. */
#define NATIVE_STACKS_MAX_NAMED 8

struct native_stack;

struct native_stacks {
	struct thread_ids *ids;
	struct native_stack **stacks;
	size_t n, cap;
	/* Called when a stack has arrived. */
	void (*arrived)(void *arg);
	void *arg;
};

/* Request the stack of thread @tid, unless it was requested at this stop. */
void native_stacks_request(struct native_stacks *s, int64_t tid);
/* Return the response to that request; NULL: it has not arrived. Borrowed. */
struct json_object *native_stacks_response(const struct native_stacks *s, int64_t tid);
/* Return the frames of that response; NULL: it has not arrived, it failed, or the stack is too deep. Borrowed. */
struct json_object *native_stacks_frames(const struct native_stacks *s, int64_t tid);
/* The stop is over: forget its stacks. */
void native_stacks_forget(struct native_stacks *s);

/* Name the regions of @v by the stacks that have arrived. @v may be NULL. */
void native_stacks_name_regions(const struct native_stacks *s, struct view *v);
/* Return the number of stacks whose arrival may name regions of @v, which may be NULL. With @request, request them. */
size_t native_stacks_count_missing(struct native_stacks *s, const struct view *v, bool request);

#endif
