/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree, the verdict of why, and profiles, for views that a DAP client has of its own. */
#include "custom.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "draw.h"
#include "format.h"
#include "message.h"
#include "reply.h"

struct pending_request {
	struct custom_events *events;
	const struct thread_ids *ids;
	struct dap_reply *reply;
	struct json_object *(*body)(struct debuggee *t, struct json_object *result);
	/* Only for the tree; owned. */
	char *text;
	struct json_object *nodes;
};

/* More threads of a team that do the same share a node. */
#define MAX_SIBLINGS 64

static const struct style plain = {.utf8 = 1};

static const char no_process[] = "no process is debugged yet: launch or attach comes first";

static const char *const commands[] = {"ompdd/tree", "ompdd/why", "ompdd/profile", "ompdd/focus"};

bool custom_handles(const char *command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i], command))
			return true;
	}
	return false;
}

static struct json_object *create_thread_node(const struct view *v, size_t thread)
{
	const struct facts_thread *t = &v->s.threads[thread];
	struct json_object *node = json_object_new_object();
	const char *wait = view_thread_text(v, thread, "waits_for");
	char *name = view_thread_name(v, thread);

	dap_message_put_int(node, "id", t->tid);
	dap_message_put_string(node, "name", name);
	dap_message_put_bool(node, "openmp", t->openmp);
	if (dap_message_int(t->json, "thread_num", -1) >= 0)
		dap_message_put_int(node, "number", dap_message_int(t->json, "thread_num", -1));
	if (t->parallel != FACTS_NONE)
		dap_message_put_int(node, "region", (int64_t)v->s.parallels[t->parallel].number);
	if (strcmp(wait, "-") != 0)
		dap_message_put_string(node, "waitsFor", wait);
	json_object_object_add(node, "state", json_object_get(json_read_member(t->json, "state")));
	free(name);
	return node;
}

static struct json_object *create_region_node(const struct view *v, size_t parallel)
{
	const struct facts_parallel *p = &v->s.parallels[parallel];
	struct json_object *node = json_object_new_object(), *members = json_object_new_array();
	struct buf t = {0};

	view_add_region(v, parallel, &t);
	dap_message_put_int(node, "number", (int64_t)v->s.parallels[parallel].number);
	dap_message_put_string(node, "name", t.data);
	buf_deinit(&t);
	if (p->enclosing != FACTS_NONE)
		dap_message_put_int(node, "within", (int64_t)v->s.parallels[p->enclosing].number);
	dap_message_put_int(node, "level", dap_message_int(p->json, "level", -1));
	dap_message_put_int(node, "teamSize", dap_message_int(p->json, "team_size", -1));
	if (v->functions[parallel])
		dap_message_put_string(node, "function", v->functions[parallel]);
	for (size_t i = 0; i < p->n_members; i++)
		json_object_array_add(members, json_object_new_int64(v->s.threads[p->members[i]].tid));
	json_object_object_add(node, "threads", members);
	return node;
}

static struct json_object *create_task_node(const struct view *v, size_t task)
{
	const struct facts_task *k = &v->s.tasks[task];
	struct json_object *node = json_object_new_object();
	struct buf t = {0};

	view_add_task(v, task, &t);
	dap_message_put_string(node, "name", t.data);
	buf_deinit(&t);
	if (k->thread != FACTS_NONE)
		dap_message_put_int(node, "thread", v->s.threads[k->thread].tid);
	if (k->parallel != FACTS_NONE)
		dap_message_put_int(node, "region", (int64_t)v->s.parallels[k->parallel].number);
	return node;
}

static struct json_object *create_tree_body(struct debuggee *t, struct json_object *result)
{
	struct json_object *body = json_object_new_object();
	struct json_object *regions = json_object_new_array(), *threads = json_object_new_array(),
			   *tasks = json_object_new_array();
	struct view *v = view_create(result, t->names);

	/* Reuse the names learnt from native stacks since the process stopped. */
	for (size_t i = 0; t->view && i < v->s.n_parallels && i < t->view->s.n_parallels; i++) {
		if (!v->functions[i] && t->view->functions[i] &&
		    v->s.parallels[i].number == t->view->s.parallels[i].number && t->is_fresh)
			view_set_function(v, i, t->view->functions[i]);
	}
	for (size_t i = 0; i < v->s.n_parallels; i++)
		json_object_array_add(regions, create_region_node(v, i));
	for (size_t i = 0; i < v->s.n_threads; i++)
		json_object_array_add(threads, create_thread_node(v, v->order[i]));
	for (size_t i = 0; i < v->s.n_tasks; i++) {
		if (facts_is_explicit(&v->s.tasks[i]))
			json_object_array_add(tasks, create_task_node(v, i));
	}
	json_object_object_add(body, "regions", regions);
	json_object_object_add(body, "threads", threads);
	json_object_object_add(body, "tasks", tasks);
	dap_message_put_string(body, "consistency",
			       dap_message_string(result, "consistency") ? dap_message_string(result, "consistency")
									 : "racy");
	view_destroy(v);
	return body;
}

static struct json_object *create_why_body(struct debuggee *t, struct json_object *result)
{
	static const char *const members[] = {"summary", "nodes", "graph"};
	struct json_object *body = dap_message_copy(json_read_member(result, "raw")), *view = json_object_new_object();
	struct buf text = {0};

	(void)t;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_object_object_add(view, members[i], json_object_get(json_read_member(result, members[i])));
	json_object_object_add(body, "view", view);
	draw_view(result, &plain, &text);
	text_add(&text, "");
	dap_message_put_string(body, "text", text.data);
	buf_deinit(&text);
	return body;
}

static struct json_object *create_profile_body(struct debuggee *t, struct json_object *result)
{
	(void)t;
	return json_object_get(result);
}

static void on_result(void *arg, struct json_object *result, struct json_object *error)
{
	struct pending_request *a = arg;

	if (result) {
		struct json_object *request = json_object_get(a->reply->request);
		struct json_object *body = a->body(a->events->target, result);

		if (a->text)
			dap_message_put_string(body, "text", a->text);
		if (a->nodes)
			json_object_object_add(body, "nodes", json_object_get(a->nodes));
		dap_reply_send(a->reply, body);
		custom_events_answered(a->events, request, result);
		json_object_put(request);
	} else {
		dap_reply_fail(a->reply, error);
	}
	free(a->text);
	json_object_put(a->nodes);
	free(a);
}

/* Keep the nodes, then request the sample with its regions, threads and tasks. */
static void on_nodes(void *arg, struct json_object *result, struct json_object *error)
{
	struct pending_request *a = arg;

	if (!result) {
		on_result(a, NULL, error);
		return;
	}
	a->nodes = json_object_get(json_read_member(result, "nodes"));
	debuggee_request_sample(a->events->target, "regions", on_result, a);
}

/* Draw the tree, then request its nodes with numbers, where clients can select each thread. */
static void on_tree(void *arg, struct json_object *result, struct json_object *error)
{
	struct pending_request *a = arg;
	struct json_object *params;
	struct buf text = {0};

	if (!result) {
		on_result(a, NULL, error);
		return;
	}
	draw_view(result, &plain, &text);
	text_add(&text, "");
	a->text = text_take(&text);
	params = json_object_new_object();
	dap_message_put_string(params, "view", "tree");
	dap_message_put_bool(params, "numbered", true);
	dap_message_put_int(params, "fold_above", MAX_SIBLINGS);
	debuggee_call(a->events->target, "view.get", params, on_nodes, a);
}

/* Return whether all threads are held, according to the last sample. */
static bool is_held(const struct debuggee *t)
{
	const struct view *v = debuggee_view(t);
	const char *consistency = v ? dap_message_string(v->s.json, "consistency") : NULL;

	return consistency && !strcmp(consistency, "stopped");
}

/* Return the method and fill in the parameters for a request; NULL: it needs no method. */
static const char *select_method(struct json_object *request, struct json_object *params, struct pending_request *a)
{
	const char *command = dap_message_name(request);
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	const char *action = dap_message_string(arguments, "action");

	if (!strcmp(command, "ompdd/why")) {
		a->body = create_why_body;
		if (dap_message_bool(arguments, "graph"))
			dap_message_put_bool(params, "graph", true);
		/* Threads do not move then: two samples would look like a hang. */
		if (is_held(a->events->target))
			dap_message_put_int(params, "interval_ms", 0);
		dap_message_put_string(params, "view", "why");
		dap_message_put_bool(params, "raw", true);
		return "view.get";
	}
	a->body = create_profile_body;
	if (action && !strcmp(action, "start")) {
		if (dap_message_int(arguments, "rate", 0) > 0)
			dap_message_put_int(params, "rate_hz", dap_message_int(arguments, "rate", 0));
		return "profile.start";
	}
	if (action && !strcmp(action, "stop"))
		return "profile.stop";
	return !action || !strcmp(action, "get") ? "profile.get" : NULL;
}

/* Send another `stopped` event for the thread: clients switch to the thread that has stopped. */
static void focus_thread(struct pending_request *a)
{
	int64_t tid = dap_message_int(dap_message_get(a->reply->request, "arguments", NULL), "threadId", 0);
	const struct view *v = debuggee_view(a->events->target);
	struct dap_client *client = a->events->client;

	if (!v) {
		dap_reply_refuse(a->reply, "cannot show a frame: the process runs");
		return;
	}
	if (view_thread(v, tid) == FACTS_NONE) {
		dap_reply_refuse(a->reply, "ompdd/focus: no OpenMP thread with this \"threadId\" has stopped");
		return;
	}
	dap_reply_send(a->reply, NULL);
	tid = a->ids ? thread_ids_native(a->ids, tid) : tid;
	dap_client_send_event(client, "stopped", dap_message_stopped_body("goto", "Paused", tid));
}

/* Call ompdd for the request. */
static void call_method(struct pending_request *a)
{
	struct json_object *params = json_object_new_object();
	const char *method;

	if (!strcmp(dap_message_name(a->reply->request), "ompdd/tree")) {
		a->body = create_tree_body;
		dap_message_put_string(params, "view", "tree");
		debuggee_call(a->events->target, "view.get", params, on_tree, a);
		return;
	}
	method = select_method(a->reply->request, params, a);

	if (method) {
		debuggee_call(a->events->target, method, params, on_result, a);
		return;
	}
	json_object_put(params);
	dap_reply_refuse(a->reply, "ompdd/profile: \"action\" is one of start, get, stop");
	free(a);
}

/* Continue @arg when the process is attached and sampled, or attaching has failed. */
static void on_ready(void *arg)
{
	struct pending_request *a = arg;
	struct debuggee *t = a->events->target;
	bool is_focus = !strcmp(dap_message_name(a->reply->request), "ompdd/focus");

	if (t->state == DEBUGGEE_READY && !is_focus) {
		call_method(a);
		return;
	}
	if (t->state != DEBUGGEE_READY)
		dap_reply_refuse(a->reply, t->why ? t->why : no_process);
	else
		focus_thread(a);
	free(a);
}

void custom_request(struct custom_events *events, const struct thread_ids *ids, struct json_object *request)
{
	struct pending_request *a;

	if (!debuggee_is_open(events->target)) {
		dap_client_refuse(events->client, request, no_process);
		return;
	}
	a = text_calloc(1, sizeof(*a));
	*a = (struct pending_request){
		.events = events,
		.ids = ids,
		.reply = dap_reply_create(events->client, request, NULL),
	};
	debuggee_wait(events->target, SERVICE_PATIENCE_MS, on_ready, a);
}
