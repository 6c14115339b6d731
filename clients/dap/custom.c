/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree, the verdict of why, and profiles, for views that a DAP client has of its own. */
#include "custom.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "why.h"

struct pending_request {
	struct dap_session *s;
	struct debuggee *t;
	struct json_object *request; /* owned */
	struct json_object *(*body)(struct debuggee *t, struct json_object *result);
};

static const struct style plain = {.utf8 = 1};

static const char no_process[] = "there is no process yet that ompdd could look at";

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
	const struct overview_thread *t = &v->s.threads[thread];
	struct json_object *node = json_object_new_object();
	char *name = view_thread_name(v, thread), *wait = overview_wait(&v->s, &plain, t, 1);

	dap_message_put_int(node, "id", t->tid);
	dap_message_put_string(node, "name", name);
	dap_message_put_bool(node, "openmp", t->openmp);
	if (dap_message_int(t->json, "thread_num", -1) >= 0)
		dap_message_put_int(node, "number", dap_message_int(t->json, "thread_num", -1));
	if (t->parallel != OVERVIEW_NONE)
		dap_message_put_int(node, "region", (int64_t)v->numbers[t->parallel]);
	if (strcmp(wait, "-") != 0)
		dap_message_put_string(node, "waitsFor", wait);
	json_object_object_add(node, "state", json_object_get(format_member(t->json, "state")));
	free(name);
	free(wait);
	return node;
}

static struct json_object *create_region_node(const struct view *v, size_t parallel)
{
	const struct overview_parallel *p = &v->s.parallels[parallel];
	struct json_object *node = json_object_new_object(), *members = json_object_new_array();
	struct text t = {0};

	view_add_region(v, parallel, &t);
	dap_message_put_int(node, "number", (int64_t)v->numbers[parallel]);
	dap_message_put_string(node, "name", t.data);
	text_deinit(&t);
	if (p->enclosing != OVERVIEW_NONE)
		dap_message_put_int(node, "within", (int64_t)v->numbers[p->enclosing]);
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
	const struct overview_task *k = &v->s.tasks[task];
	struct json_object *node = json_object_new_object();
	struct text t = {0};

	view_add_task(v, task, &t);
	dap_message_put_string(node, "name", t.data);
	text_deinit(&t);
	if (k->thread != OVERVIEW_NONE)
		dap_message_put_int(node, "thread", v->s.threads[k->thread].tid);
	if (k->parallel != OVERVIEW_NONE)
		dap_message_put_int(node, "region", (int64_t)v->numbers[k->parallel]);
	return node;
}

static struct json_object *create_tree_body(struct debuggee *t, struct json_object *result)
{
	struct json_object *body = json_object_new_object();
	struct json_object *regions = json_object_new_array(), *threads = json_object_new_array(),
			   *tasks = json_object_new_array();
	struct view *v = view_create(result, t->info);
	struct text text = {0};

	/* Reuse the names learnt from native stacks since the process stopped. */
	for (size_t i = 0; t->view && i < v->s.n_parallels && i < t->view->s.n_parallels; i++) {
		if (!v->functions[i] && t->view->functions[i] && v->numbers[i] == t->view->numbers[i] && t->is_fresh)
			view_set_function(v, i, t->view->functions[i]);
	}
	for (size_t i = 0; i < v->s.n_parallels; i++)
		json_object_array_add(regions, create_region_node(v, i));
	for (size_t i = 0; i < v->s.n_threads; i++)
		json_object_array_add(threads, create_thread_node(v, v->order[i]));
	for (size_t i = 0; i < v->s.n_tasks; i++) {
		if (v->s.tasks[i].kind && !strcmp(v->s.tasks[i].kind, "explicit"))
			json_object_array_add(tasks, create_task_node(v, i));
	}
	tree_show(&v->s, &plain, &text);
	text_add(&text, "");
	json_object_object_add(body, "regions", regions);
	json_object_object_add(body, "threads", threads);
	json_object_object_add(body, "tasks", tasks);
	dap_message_put_string(body, "consistency",
			       dap_message_string(result, "consistency") ? dap_message_string(result, "consistency")
									 : "racy");
	dap_message_put_string(body, "text", text.data);
	text_deinit(&text);
	view_destroy(v);
	return body;
}

static struct json_object *create_why_body(struct debuggee *t, struct json_object *result)
{
	struct json_object *body = dap_message_copy(result);
	struct text text = {0};

	why_show(result, t->info, &plain, &text);
	text_add(&text, "");
	dap_message_put_string(body, "text", text.data);
	text_deinit(&text);
	return body;
}

static struct json_object *create_profile_body(struct debuggee *t, struct json_object *result)
{
	(void)t;
	return json_object_get(result);
}

static void destroy_request(struct pending_request *a)
{
	json_object_put(a->request);
	free(a);
}

static void on_result(void *arg, struct json_object *result, struct json_object *error)
{
	struct pending_request *a = arg;

	if (result) {
		dap_session_answer(a->s, a->request, a->body(a->t, result));
		custom_events_answered(a->s, a->t, a->request, result);
	} else {
		char *why = service_error_text(error);

		dap_session_refuse(a->s, a->request, why);
		free(why);
	}
	destroy_request(a);
}

/* Return whether all threads are held, according to the last sample. */
static bool is_held(const struct debuggee *t)
{
	const char *consistency = t->is_fresh && t->view ? dap_message_string(t->view->s.json, "consistency") : NULL;

	return consistency && !strcmp(consistency, "stopped");
}

/* Return the method and fill in the parameters for a request; NULL: it needs no method. */
static const char *select_method(struct json_object *request, struct json_object *params, struct pending_request *a)
{
	const char *command = dap_message_name(request);
	struct json_object *arguments = dap_message_get(request, "arguments", NULL);
	const char *action = dap_message_string(arguments, "action");

	if (!strcmp(command, "ompdd/tree")) {
		a->body = create_tree_body;
		dap_message_put_string(params, "stacks", "regions");
		return "snapshot.get";
	}
	if (!strcmp(command, "ompdd/why")) {
		a->body = create_why_body;
		if (dap_message_bool(arguments, "graph"))
			dap_message_put_bool(params, "graph", true);
		/* Threads do not move then: two samples would look like a hang. */
		if (is_held(a->t))
			dap_message_put_int(params, "interval_ms", 0);
		return "diagnose.get";
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
static void focus_thread(struct dap_session *s, struct debuggee *t, struct json_object *request)
{
	int64_t thread = dap_message_int(dap_message_get(request, "arguments", NULL), "threadId", 0);
	struct json_object *body;

	if (!t->is_fresh) {
		dap_session_refuse(s, request, "the process runs: there is no frame to go to");
		return;
	}
	if (!t->view || view_thread(t->view, thread) == OVERVIEW_NONE) {
		dap_session_refuse(s, request, "ompdd/focus: \"threadId\" is no OpenMP thread that stands");
		return;
	}
	dap_session_answer(s, request, NULL);
	body = json_object_new_object();
	dap_message_put_string(body, "reason", "goto");
	dap_message_put_string(body, "description", "Paused");
	dap_message_put_int(body, "threadId", t->client_id ? t->client_id(t->arg, thread) : thread);
	dap_message_put_bool(body, "allThreadsStopped", true);
	dap_session_event(s, "stopped", body);
}

static void refuse_request(struct pending_request *a, const char *why)
{
	dap_session_refuse(a->s, a->request, why);
	destroy_request(a);
}

/* Continue @arg when the process is attached and sampled, or attaching has failed. */
static void on_ready(void *arg)
{
	struct pending_request *a = arg;
	struct debuggee *t = a->t;

	if (t->state != DEBUGGEE_READY) {
		refuse_request(a, t->why ? t->why : no_process);
		return;
	}
	if (!strcmp(dap_message_name(a->request), "ompdd/focus")) {
		focus_thread(a->s, t, a->request);
		destroy_request(a);
		return;
	}
	struct json_object *params = json_object_new_object();
	const char *method = select_method(a->request, params, a);

	if (!method) {
		json_object_put(params);
		refuse_request(a, "ompdd/profile: \"action\" is one of start, get, stop");
		return;
	}
	debuggee_call(t, method, params, on_result, a);
}

void custom_request(struct dap_session *s, struct debuggee *t, bool has_target, struct json_object *request)
{
	struct pending_request *a;

	if (!has_target) {
		dap_session_refuse(s, request, no_process);
		return;
	}
	a = text_calloc(1, sizeof(*a));
	*a = (struct pending_request){.s = s, .t = t, .request = json_object_get(request)};
	debuggee_wait(t, SERVICE_PATIENCE_MS, on_ready, a);
}
