/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the items of stack.get to frames and labels. */
#include "logical_stacks.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/path.h"
#include "format.h"
#include "message.h"
#include "reply.h"

static void add_source(struct json_object *frame, struct json_object *location)
{
	const char *file = dap_message_string(location, "file");
	struct json_object *source;

	if (!file)
		return;
	source = json_object_new_object();
	dap_message_put_string(source, "name", path_file_name(file));
	/* A relative path cannot be opened. */
	if (*file == '/')
		dap_message_put_string(source, "path", file);
	json_object_object_add(frame, "source", source);
	dap_message_put_int(frame, "line", dap_message_int(location, "line", 0));
}

/* Return whether an item of stack.get is a frame, of C or of Python. */
static bool is_frame(struct json_object *item)
{
	const char *kind = dap_message_string(item, "kind");

	return json_read_member(item, "pc") || !kind || !strcmp(kind, "python");
}

/* Return the label of an item of stack.get that is not a frame; NULL: it is a frame. The caller owns it. */
static char *create_label(struct json_object *item)
{
	const char *kind = dap_message_string(item, "kind");
	struct buf t = {0};

	if (is_frame(item))
		return NULL;
	if (!strcmp(kind, "parallel")) {
		int64_t number = dap_message_int(item, "thread_num", -1), size = dap_message_int(item, "team_size", -1);

		text_printf(&t, "parallel region (level %lld)", (long long)dap_message_int(item, "level", 0));
		if (number >= 0)
			text_printf(&t, ": thread %lld", (long long)number);
		if (size >= 0)
			text_printf(&t, number >= 0 ? " of %lld" : ": team of %lld", (long long)size);
	} else if (!strcmp(kind, "task")) {
		const char *symbol = json_read_string(dap_message_get(item, "function", "symbol", NULL));

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

static struct json_object *create_frame(struct frame_scopes *s, struct json_object *item, int64_t tid, size_t task)
{
	struct json_object *frame = json_object_new_object();
	const char *function = dap_message_string(item, "function"), *pc = dap_message_string(item, "pc");
	char *label = create_label(item);
	struct buf name = {0};

	dap_message_put_int(frame, "id", frame_scopes_add(s, tid, task));
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
	buf_deinit(&name);
	if (pc)
		dap_message_put_string(frame, "instructionPointerReference", pc);
	add_source(frame, json_read_member(item, "location"));
	return frame;
}

static struct json_object *create_stack_body(struct frame_scopes *s, struct json_object *request,
					     struct json_object *result)
{
	struct json_object *body = json_object_new_object(), *list = json_object_new_array();
	struct json_object *items = dap_message_array(result, "frames"),
			   *arguments = dap_message_get(request, "arguments", NULL);
	int64_t tid = dap_message_int(arguments, "threadId", 0), start = dap_message_int(arguments, "startFrame", 0);
	int64_t levels = dap_message_int(arguments, "levels", 0), other;
	const struct view *v = s->target->view;
	size_t thread = v ? view_thread(v, tid) : FACTS_NONE;
	size_t task = thread == FACTS_NONE ? FACTS_NONE : v->s.threads[thread].task;
	size_t n = dap_message_length(items), from = start > 0 ? (size_t)start : 0;
	size_t to = levels > 0 && (uint64_t)levels < n ? from + (size_t)levels : n;

	for (size_t i = 0; i < n && i < to; i++) {
		struct json_object *item = json_object_array_get_idx(items, i);
		bool is_boundary = !is_frame(item) && !dap_message_string(item, "entry");

		if (i >= from)
			json_object_array_add(list, create_frame(s, item, tid, task));
		if (!is_boundary)
			continue;
		/* The frames of the enclosing task follow. */
		if (task != FACTS_NONE)
			task = v->s.tasks[task].generating;
		other = dap_message_int(item, "thread", 0);
		tid = other ? other : tid;
	}
	json_object_object_add(body, "stackFrames", list);
	dap_message_put_int(body, "totalFrames", (int64_t)n);
	return body;
}

static void on_stack(void *arg, struct json_object *result, struct json_object *error)
{
	struct dap_reply *reply = arg;
	const char *message = json_read_string(dap_message_get(result, "complete", "message", NULL));

	if (error)
		dap_reply_fail(reply, error);
	else if (dap_message_length(dap_message_array(result, "frames")))
		dap_reply_send(reply, create_stack_body(reply->arg, reply->request, result));
	else
		dap_reply_refuse(reply, message ? message : "the stack has no frames");
}

void logical_stacks_request(struct frame_scopes *s, struct json_object *request)
{
	int64_t tid = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", 0);
	struct json_object *params;

	if (tid <= 0 || tid > INT32_MAX) {
		dap_client_refuse(s->client, request, "the process has no such thread");
		return;
	}
	params = json_object_new_object();
	dap_message_put_int(params, "thread", tid);
	dap_message_put_bool(params, "logical", true);
	debuggee_call(s->target, "stack.get", params, on_stack, dap_reply_create(s->client, request, s));
}
