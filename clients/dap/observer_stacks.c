/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The observer's stacks and scopes: ompdd's logical stacks, with its knowledge about their frames. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "observer_internal.h"
#include "scope.h"

static int64_t note_frame(struct observer *o, int64_t tid, size_t task)
{
	if (o->n_frames == OBSERVER_MAX_FRAMES)
		return OBSERVER_MAX_FRAMES;
	if (o->n_frames == o->cap_frames) {
		o->cap_frames = o->cap_frames ? 2 * o->cap_frames : 128;
		o->frames = text_realloc(o->frames, o->cap_frames, sizeof(*o->frames));
	}
	o->frames[o->n_frames++] = (struct observed_frame){tid, task};
	return (int64_t)o->n_frames;
}

static void add_source(struct json_object *frame, struct json_object *location)
{
	const char *file = dap_message_string(location, "file");
	struct json_object *source;

	if (!file)
		return;
	const char *slash = strrchr(file, '/');
	source = json_object_new_object();
	dap_message_put_string(source, "name", slash ? slash + 1 : file);
	/* A relative path cannot be opened. */
	if (*file == '/')
		dap_message_put_string(source, "path", file);
	json_object_object_add(frame, "source", source);
	dap_message_put_int(frame, "line", dap_message_int(location, "line", 0));
}

/* Return the label of an item of stack.get that is not a frame; NULL: it is a frame. The caller owns it. */
static char *create_label(struct json_object *item)
{
	const char *kind = dap_message_string(item, "kind");
	struct text t = {0};

	if (format_member(item, "pc") || !kind)
		return NULL;
	if (!strcmp(kind, "parallel")) {
		int64_t number = dap_message_int(item, "thread_num", -1), size = dap_message_int(item, "team_size", -1);

		text_printf(&t, "parallel region (level %lld)", (long long)dap_message_int(item, "level", 0));
		if (number >= 0)
			text_printf(&t, ": thread %lld", (long long)number);
		if (size >= 0)
			text_printf(&t, number >= 0 ? " of %lld" : ": team of %lld", (long long)size);
	} else if (!strcmp(kind, "task")) {
		const char *symbol = format_string(dap_message_get(item, "function", "symbol", NULL));

		text_add(&t, "explicit task");
		if (symbol) {
			text_add(&t, " ");
			text_add_safe(&t, symbol, 1);
		}
	} else {
		const char *entry = dap_message_string(item, "entry");

		text_add(&t, "in ");
		text_add_safe(&t, entry ? entry : "the OpenMP runtime", 1);
	}
	return text_take(&t);
}

static struct json_object *create_frame(struct observer *o, struct json_object *item, int64_t tid, size_t task)
{
	struct json_object *frame = json_object_new_object();
	const char *function = dap_message_string(item, "function"), *pc = dap_message_string(item, "pc");
	char *label = create_label(item);
	struct text name = {0};

	dap_message_put_int(frame, "id", note_frame(o, tid, task));
	dap_message_put_int(frame, "line", 0);
	dap_message_put_int(frame, "column", 0);
	if (label) {
		dap_message_put_string(frame, "name", label);
		dap_message_put_string(frame, "presentationHint", "label");
		free(label);
		return frame;
	}
	text_add_safe(&name, function ? function : pc ? pc : "??", 1);
	dap_message_put_string(frame, "name", name.data);
	text_deinit(&name);
	if (pc)
		dap_message_put_string(frame, "instructionPointerReference", pc);
	add_source(frame, format_member(item, "location"));
	return frame;
}

static struct json_object *create_stack_body(struct observer *o, struct json_object *request,
					     struct json_object *result)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	struct json_object *items = dap_message_array(result, "frames"),
			   *arguments = dap_message_get(request, "arguments", NULL);
	int64_t tid = dap_message_int(arguments, "threadId", 0), start = dap_message_int(arguments, "startFrame", 0);
	int64_t levels = dap_message_int(arguments, "levels", 0), other;
	size_t thread = o->target.view ? view_thread(o->target.view, tid) : OVERVIEW_NONE;
	size_t task = thread == OVERVIEW_NONE ? OVERVIEW_NONE : o->target.view->s.threads[thread].task;
	size_t n = dap_message_length(items), from = start > 0 ? (size_t)start : 0;
	size_t to = levels > 0 && (uint64_t)levels < n ? from + (size_t)levels : n;

	for (size_t i = 0; i < n && i < to; i++) {
		struct json_object *item = json_object_array_get_idx(items, i);
		bool is_boundary = !format_member(item, "pc") && !dap_message_string(item, "entry");

		if (i >= from)
			json_object_array_add(list, create_frame(o, item, tid, task));
		if (!is_boundary)
			continue;
		/* The frames of the enclosing task follow. */
		if (task != OVERVIEW_NONE)
			task = o->target.view->s.tasks[task].generating;
		other = dap_message_int(item, "thread", 0);
		tid = other ? other : tid;
	}
	json_object_object_add(body, "stackFrames", list);
	dap_message_put_int(body, "totalFrames", (int64_t)n);
	return body;
}

static void on_stack(void *arg, struct json_object *result, struct json_object *error)
{
	struct observer_asked *a = arg;

	if (result && dap_message_length(dap_message_array(result, "frames"))) {
		dap_session_answer(a->o->s, a->request, create_stack_body(a->o, a->request, result));
	} else {
		const char *message = format_string(dap_message_get(result, "complete", "message", NULL));
		char *why = error ? service_error_text(error) : text_strdup(message ? message : "there are no frames");

		dap_session_refuse(a->o->s, a->request, why);
		free(why);
	}
	observer_asked_destroy(a);
}

void observer_stack_trace(struct observer *o, struct json_object *request)
{
	struct json_object *params = json_object_new_object();
	int64_t tid = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", 0);

	if (tid <= 0 || tid > INT32_MAX) {
		json_object_put(params);
		dap_session_refuse(o->s, request, "there is no such thread");
		return;
	}
	dap_message_put_int(params, "thread", tid);
	dap_message_put_bool(params, "logical", true);
	debuggee_call(&o->target, "stack.get", params, on_stack, observer_ask(o, request));
}

void observer_scopes(struct observer *o, struct json_object *request)
{
	int64_t id = dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", 0);
	struct json_object *body, *scopes;

	if (id < 1 || (uint64_t)id > o->n_frames) {
		dap_session_refuse(o->s, request, "there is no such frame any more");
		return;
	}
	const struct observed_frame *frame = &o->frames[id - 1];
	const struct view *v = o->target.view;
	size_t thread = v ? view_thread(v, frame->tid) : OVERVIEW_NONE;
	body = json_object_new_object();
	scopes = json_object_new_array();
	if (thread != OVERVIEW_NONE)
		scope_add(&o->variables, v, thread, frame->task, scopes);
	json_object_object_add(body, "scopes", scopes);
	dap_session_answer(o->s, request, body);
}

void observer_variables(struct observer *o, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL), *body;
	struct json_object *list =
		variables_list(&o->variables, dap_message_int(arguments, "variablesReference", 0),
			       dap_message_int(arguments, "start", 0), dap_message_int(arguments, "count", 0));

	if (!list) {
		dap_session_refuse(o->s, request, "these variables are of an earlier look");
		return;
	}
	body = json_object_new_object();
	json_object_object_add(body, "variables", list);
	dap_session_answer(o->s, request, body);
}
