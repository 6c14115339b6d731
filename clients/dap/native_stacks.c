/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Native stacks by thread. */
#include "native_stacks.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "frames.h"
#include "message.h"

struct native_stack {
	struct native_stacks *stacks; /* NULL: its stop is over, so the response is not needed */
	int64_t tid;
	struct json_object *response; /* owned; NULL: it was requested */
};

static struct native_stack *find_stack(const struct native_stacks *s, int64_t tid)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->stacks[i]->tid == tid)
			return s->stacks[i];
	}
	return NULL;
}

struct json_object *native_stacks_response(const struct native_stacks *s, int64_t tid)
{
	const struct native_stack *stack = find_stack(s, tid);

	return stack ? stack->response : NULL;
}

struct json_object *native_stacks_frames(const struct native_stacks *s, int64_t tid)
{
	struct json_object *body = dap_message_get(native_stacks_response(s, tid), "body", NULL);
	struct json_object *frames = dap_message_array(body, "stackFrames");

	/* A stack of this size may be cut, and the missing outer frames may be essential. */
	return dap_message_length(frames) < NATIVE_STACKS_MAX_FRAMES ? frames : NULL;
}

static void on_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct native_stack *stack = arg;

	(void)request;
	if (!stack->stacks) {
		free(stack);
		return;
	}
	stack->response = json_object_get(response);
	stack->stacks->arrived(stack->stacks->arg);
}

void native_stacks_request(struct native_stacks *s, int64_t tid)
{
	struct native_stack *stack;

	if (find_stack(s, tid))
		return;
	stack = text_calloc(1, sizeof(*stack));
	*stack = (struct native_stack){.stacks = s, .tid = tid};
	TEXT_GROW(s->stacks, s->n, s->cap);
	s->stacks[s->n++] = stack;
	adapter_request_stack(s->ids->adapter, thread_ids_native(s->ids, tid), NATIVE_STACKS_MAX_FRAMES, on_stack,
			      stack);
}

void native_stacks_forget(struct native_stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct native_stack *stack = s->stacks[i];

		if (stack->response) {
			json_object_put(stack->response);
			free(stack);
		} else {
			/* Its response frees it. */
			stack->stacks = NULL;
		}
	}
	free(s->stacks);
	s->stacks = NULL;
	s->n = s->cap = 0;
}

/* Return the thread whose stack shows the function of @parallel; FACTS_NONE: the function is known, or the thread is
 * not. */
static size_t find_naming_thread(const struct view *v, size_t parallel)
{
	return v->s.parallels[parallel].number && !v->functions[parallel] ? view_encountering_thread(v, parallel)
									  : FACTS_NONE;
}

void native_stacks_name_regions(const struct native_stacks *s, struct view *v)
{
	for (size_t i = 0; v && i < v->s.n_parallels; i++) {
		size_t thread = find_naming_thread(v, i);
		struct json_object *stack =
			thread == FACTS_NONE ? NULL : native_stacks_frames(s, v->s.threads[thread].tid);
		const char *name = stack ? frames_function(v, thread, i, stack) : NULL;

		if (name)
			view_set_function(v, i, name);
	}
}

size_t native_stacks_count_missing(struct native_stacks *s, const struct view *v, bool request)
{
	size_t n = 0, missing = 0;

	for (size_t i = 0; v && i < v->s.n_parallels && n < NATIVE_STACKS_MAX_NAMED; i++) {
		size_t thread = find_naming_thread(v, i);

		if (thread == FACTS_NONE)
			continue;
		n++;
		if (native_stacks_response(s, v->s.threads[thread].tid))
			continue;
		missing++;
		if (request)
			native_stacks_request(s, v->s.threads[thread].tid);
	}
	return missing;
}
