/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The companion's scopes after those of the native adapter: the thread, its task's control variables, and its
 * region. */
#include "companion.h"

#include <stdlib.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "scope.h"

const struct companion_frame *companion_label(const struct companion *c, int64_t id)
{
	int64_t index = id - MESSAGE_OWN_IDS;

	return index >= 0 && (uint64_t)index < c->n_labels ? &c->labels[index] : NULL;
}

static const struct companion_frame *find_frame(const struct companion *c, int64_t id)
{
	for (size_t i = c->n_frames; i-- > 0;) {
		if (c->frames[i].id == id)
			return &c->frames[i];
	}
	return NULL;
}

/* Append the known scopes of a frame to @scopes. */
static void add_scopes(struct companion *c, const struct companion_frame *frame, struct json_object *scopes)
{
	const struct view *v = c->target.is_fresh ? c->target.view : NULL;
	size_t thread = v ? view_thread(v, frame->tid) : OVERVIEW_NONE;

	if (thread == OVERVIEW_NONE)
		return;
	scope_add(&c->variables, v, thread, frame->task, scopes);
}

static void on_scopes(void *arg, struct json_object *request, struct json_object *response)
{
	struct companion *c = arg;
	const struct companion_frame *frame =
		find_frame(c, dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", -1));
	struct json_object *body = dap_message_get(response, "body", NULL);

	if (!frame || !dap_message_array(body, "scopes")) {
		companion_pass(c, request, response);
		return;
	}
	struct json_object *changed = dap_message_copy(response), *own = dap_message_copy(body);
	struct json_object *scopes = dap_message_copy_array(body, "scopes");

	add_scopes(c, frame, scopes);
	json_object_object_add(own, "scopes", scopes);
	json_object_object_add(changed, "body", own);
	companion_pass(c, request, changed);
	json_object_put(changed);
}

void companion_scopes(struct companion *c, struct json_object *request)
{
	int64_t id = dap_message_int(dap_message_get(request, "arguments", NULL), "frameId", -1);
	const struct companion_frame *label = companion_label(c, id);
	struct json_object *body, *scopes;

	if (!label) {
		companion_forward(c, request, on_scopes);
		return;
	}
	body = json_object_new_object();
	scopes = json_object_new_array();
	add_scopes(c, label, scopes);
	json_object_object_add(body, "scopes", scopes);
	dap_session_answer(c->s, request, body);
}

/* A request for variables that are looked up only when the user opens them. */
struct variables_request {
	struct companion *c;
	struct json_object *request; /* owned */
	uint64_t stop;
};

static void answer_variables(struct companion *c, struct json_object *request)
{
	struct json_object *arguments = dap_message_get(request, "arguments", NULL), *list, *body;
	int64_t reference = dap_message_int(arguments, "variablesReference", 0);

	list = variables_list(&c->variables, reference, dap_message_int(arguments, "start", 0),
			      dap_message_int(arguments, "count", 0));
	if (!list) {
		dap_session_refuse(c->s, request, "the program has run since: these variables are of an earlier stop");
		return;
	}
	body = json_object_new_object();
	json_object_object_add(body, "variables", list);
	dap_session_answer(c->s, request, body);
}

/* Return the control variables; NULL: not known yet. */
static struct json_object *find_icvs(const struct companion *c, size_t task)
{
	const struct view *v = c->target.view;

	return v && task < v->s.n_tasks ? view_icvs(v, task) : NULL;
}

static void on_icvs(void *arg)
{
	struct variables_request *a = arg;
	struct companion *c = a->c;
	int64_t reference = dap_message_int(dap_message_get(a->request, "arguments", NULL), "variablesReference", 0);
	size_t task;

	if (a->stop != c->stop) {
		dap_session_refuse(c->s, a->request, "the program has run meanwhile");
	} else if (!variables_waits(&c->variables, reference, &task)) {
		answer_variables(c, a->request);
	} else if (find_icvs(c, task)) {
		variables_fill(&c->variables, reference, find_icvs(c, task));
		answer_variables(c, a->request);
	} else {
		dap_session_refuse(c->s, a->request, "ompdd could not look at the control variables of this task");
	}
	json_object_put(a->request);
	free(a);
}

void companion_variables(struct companion *c, struct json_object *request)
{
	int64_t reference = dap_message_int(dap_message_get(request, "arguments", NULL), "variablesReference", 0);
	struct variables_request *a;
	size_t task;

	if (reference < MESSAGE_OWN_IDS) {
		companion_forward(c, request, NULL);
		return;
	}
	if (!variables_waits(&c->variables, reference, &task)) {
		answer_variables(c, request);
		return;
	}
	a = text_calloc(1, sizeof(*a));
	*a = (struct variables_request){c, json_object_get(request), c->stop};
	if (find_icvs(c, task))
		on_icvs(a);
	else
		debuggee_look_at_icvs(&c->target, on_icvs, a);
}
