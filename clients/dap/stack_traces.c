/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers to `stackTrace`: the native adapter's frames, labels, and the stacks of the encountering threads. */
#include "stack_traces.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "frames.h"
#include "message.h"

/* A `stackTrace` request of the client in progress. */
struct stack_trace {
	struct stack_trace *next;
	struct stack_traces *traces;
	struct json_object *request; /* owned */
	uint64_t stop;
	size_t threads[FRAMES_MAX_THREADS];
	size_t n_threads; /* 0: waits for the view */
	bool waits_for_ids;
};

static int64_t get_argument(struct json_object *request, const char *key)
{
	return dap_message_int(dap_message_get(request, "arguments", NULL), key, 0);
}

/* Return the kernel's id of the request's thread. */
static int64_t get_tid(const struct stack_traces *t, struct json_object *request)
{
	return thread_ids_tid(t->ids, get_argument(request, "threadId"));
}

/* Return the request's thread in the view @v, which may be NULL; FACTS_NONE: unknown to OpenMP. */
static size_t find_thread(const struct stack_traces *t, struct json_object *request, const struct view *v)
{
	return v ? view_thread(v, get_tid(t, request)) : FACTS_NONE;
}

/* Pass on the response unchanged, and note the thread of each frame. */
static void on_plain_stack(void *arg, struct json_object *request, struct json_object *response)
{
	struct stack_traces *t = arg;
	struct json_object *body = dap_message_get(response, "body", NULL),
			   *frames = dap_message_array(body, "stackFrames");
	int64_t total = dap_message_int(body, "totalFrames", -1);
	const struct view *v = debuggee_view(t->target);
	size_t thread = find_thread(t, request, v);
	bool in_region = thread != FACTS_NONE && view_in_region(v, thread);

	for (size_t i = 0; i < dap_message_length(frames); i++) {
		bool is_first = i == 0 && get_argument(request, "startFrame") == 0;
		size_t task = thread != FACTS_NONE && (is_first || !in_region) ? v->s.threads[thread].task : FACTS_NONE;

		frame_scopes_note(t->scopes, dap_message_int(json_object_array_get_idx(frames, i), "id", -1),
				  get_tid(t, request), task);
	}
	if (!in_region || total < 0) {
		dap_client_pass(t->client, request, response);
		return;
	}
	/* At least a label follows. */
	struct json_object *own = dap_message_copy(body);
	dap_message_put_int(own, "totalFrames", total + 1);
	dap_client_pass_changed(t->client, request, response, own);
}

static struct json_object *create_label_frame(int64_t id, const char *label)
{
	struct json_object *frame = json_object_new_object();

	dap_message_put_int(frame, "id", id);
	dap_message_put_string(frame, "name", label);
	dap_message_put_int(frame, "line", 0);
	dap_message_put_int(frame, "column", 0);
	dap_message_put_string(frame, "presentationHint", "label");
	return frame;
}

/* Return frames [start, start + levels) of the merged stack. */
static struct json_object *slice_frames(struct stack_traces *t, const struct frames *f, int64_t start, int64_t levels)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	const struct view *v = t->target->view;
	size_t from = start > 0 ? (size_t)start : 0;
	size_t to = levels > 0 && (uint64_t)levels < f->n ? from + (size_t)levels : f->n;

	for (size_t i = from; i < to && i < f->n; i++) {
		const struct frames_item *item = &f->items[i];
		int64_t tid = v->s.threads[item->thread].tid;

		if (item->native) {
			frame_scopes_note(t->scopes, dap_message_int(item->native, "id", -1), tid, item->task);
			json_object_array_add(list, json_object_get(item->native));
		} else {
			int64_t id = frame_scopes_add(t->scopes, tid, item->task);

			json_object_array_add(list, create_label_frame(id, item->label));
		}
	}
	json_object_object_add(body, "stackFrames", list);
	dap_message_put_int(body, "totalFrames", (int64_t)f->n);
	return body;
}

static void answer_trace(struct stack_trace *trace)
{
	struct stack_traces *t = trace->traces;
	struct json_object *stacks[FRAMES_MAX_THREADS],
		*response = native_stacks_response(t->stacks, get_tid(t, trace->request));
	struct view *v = t->target->view;
	struct frames f;

	for (size_t i = 0; i < trace->n_threads; i++)
		stacks[i] = native_stacks_frames(t->stacks, v->s.threads[trace->threads[i]].tid);
	if (!stacks[0]) {
		/* The request failed, or the stack is too deep: answer without our additions. */
		if (dap_message_bool(response, "success"))
			adapter_forward(t->adapter, trace->request, on_plain_stack, t);
		else
			dap_client_pass(t->client, trace->request, response);
		return;
	}
	native_stacks_name_regions(t->stacks, v);
	frames_merge(v, trace->threads, stacks, trace->n_threads, &f);
	dap_client_pass_changed(t->client, trace->request, response,
				slice_frames(t, &f, get_argument(trace->request, "startFrame"),
					     get_argument(trace->request, "levels")));
	frames_deinit(&f);
}

static void finish_trace(struct stack_trace *trace)
{
	for (struct stack_trace **at = &trace->traces->first; *at; at = &(*at)->next) {
		if (*at == trace) {
			*at = trace->next;
			break;
		}
	}
	json_object_put(trace->request);
	free(trace);
}

void stack_traces_drop(struct stack_traces *t)
{
	while (t->first)
		finish_trace(t->first);
}

/* Answer without our additions. */
static void forward_trace(struct stack_trace *trace)
{
	adapter_forward(trace->traces->adapter, trace->request, on_plain_stack, trace->traces);
	finish_trace(trace);
}

static bool has_arrived(const struct stack_trace *trace)
{
	const struct stack_traces *t = trace->traces;

	for (size_t i = 0; i < trace->n_threads; i++) {
		if (!native_stacks_response(t->stacks, t->target->view->s.threads[trace->threads[i]].tid))
			return false;
	}
	return trace->n_threads > 0;
}

/* Continue when the view has arrived or failed. */
static void on_view(void *arg)
{
	struct stack_trace *trace = arg;
	struct stack_traces *t = trace->traces;

	trace->waits_for_ids = thread_ids_are_pending(t->ids);
	if (trace->waits_for_ids)
		return;
	const struct view *v = trace->stop == t->target->stop ? debuggee_view(t->target) : NULL;
	size_t thread = find_thread(t, trace->request, v);

	if (thread == FACTS_NONE || !view_in_region(v, thread)) {
		forward_trace(trace);
		return;
	}
	trace->n_threads = frames_threads(v, thread, trace->threads);
	for (size_t i = 0; i < trace->n_threads; i++)
		native_stacks_request(t->stacks, v->s.threads[trace->threads[i]].tid);
	stack_traces_continue(t);
}

static struct stack_trace *find_waiting_trace(const struct stack_traces *t)
{
	struct stack_trace *trace = t->first;

	while (trace && !trace->waits_for_ids)
		trace = trace->next;
	return trace;
}

void stack_traces_ids_known(struct stack_traces *t)
{
	struct stack_trace *trace;

	while ((trace = find_waiting_trace(t)))
		on_view(trace);
}

void stack_traces_continue(struct stack_traces *t)
{
	for (struct stack_trace *trace = t->first, *next; trace; trace = next) {
		next = trace->next;
		/* The program has run meanwhile: the native adapter's answer is passed on. */
		if (trace->n_threads && (trace->stop != t->target->stop || !t->target->is_fresh)) {
			forward_trace(trace);
		} else if (has_arrived(trace)) {
			answer_trace(trace);
			finish_trace(trace);
		}
	}
}

void stack_traces_request(struct stack_traces *t, struct json_object *request)
{
	bool is_top = get_argument(request, "startFrame") == 0 && get_argument(request, "levels") == 1;
	struct stack_trace *trace;

	/* No label is above the first frame. The native adapter handles other number formats. */
	if (is_top || !t->target->is_stopped || !debuggee_is_open(t->target) ||
	    dap_message_get(request, "arguments", "format", NULL)) {
		adapter_forward(t->adapter, request, on_plain_stack, t);
		return;
	}
	trace = text_calloc(1, sizeof(*trace));
	*trace = (struct stack_trace){
		.next = t->first,
		.traces = t,
		.request = json_object_get(request),
		.stop = t->target->stop,
	};
	t->first = trace;
	debuggee_wait(t->target, dap_client_patience(t->client), on_view, trace);
}
