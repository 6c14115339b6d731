/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sending of ompdd/tree, ompdd/why and ompdd/profile as events. */
#include "custom_events.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"

/* Profiles */

static void schedule_request(struct custom_events *e);

static void on_progress(void *arg, struct json_object *result, struct json_object *error)
{
	struct custom_events *e = arg;
	struct json_object *profile = json_read_member(result, "profile"), *body;

	(void)error;
	/* If a new profile was started meanwhile, only that one is reported. */
	if (!profile || e->timer)
		return;
	body = json_object_new_object();
	json_object_object_add(body, "profile", json_object_get(profile));
	dap_client_send_event(e->client, "ompdd/profile", body);
	if (dap_message_bool(profile, "recording"))
		schedule_request(e);
}

static void on_timer(void *arg)
{
	struct custom_events *e = arg;

	e->timer = 0;
	debuggee_call(e->target, "profile.get", json_object_new_object(), on_progress, e);
}

static void schedule_request(struct custom_events *e)
{
	if (!e->timer)
		e->timer = loop_timer(&e->client->loop, CUSTOM_PROFILE_MS, on_timer, e);
}

/* Requested events */

void custom_events_answered(struct custom_events *e, struct json_object *request, struct json_object *result)
{
	const char *command = dap_message_name(request);
	const char *action = dap_message_string(dap_message_get(request, "arguments", NULL), "action");

	if (!strcmp(command, "ompdd/tree"))
		e->wants_tree = true;
	else if (!strcmp(command, "ompdd/why"))
		e->has_verdict = true;
	else if (!strcmp(command, "ompdd/profile") && action && !strcmp(action, "start") &&
		 dap_message_bool(json_read_member(result, "profile"), "recording"))
		schedule_request(e);
}

void custom_events_sampled(struct custom_events *e)
{
	const struct view *v = debuggee_view(e->target);
	struct json_object *body;
	size_t n_named = 0, n_tasks = 0;
	const char *consistency;

	if (!v || !e->wants_tree)
		return;
	for (size_t i = 0; i < v->s.n_parallels; i++)
		n_named += v->functions[i] != NULL;
	if (e->sample == e->target->n_samples && e->n_named == n_named)
		return;
	e->sample = e->target->n_samples;
	e->n_named = n_named;
	for (size_t i = 0; i < v->s.n_tasks; i++)
		n_tasks += facts_is_explicit(&v->s.tasks[i]);
	consistency = dap_message_string(v->s.json, "consistency");
	body = json_object_new_object();
	dap_message_put_int(body, "regions", (int64_t)v->s.n_parallels);
	dap_message_put_int(body, "threads", (int64_t)v->s.n_threads);
	dap_message_put_int(body, "tasks", (int64_t)n_tasks);
	dap_message_put_int(body, "named", (int64_t)n_named);
	dap_message_put_string(body, "consistency", consistency ? consistency : "racy");
	dap_client_send_event(e->client, "ompdd/tree", body);
}

void custom_events_ran(struct custom_events *e)
{
	struct json_object *body;

	if (!e->has_verdict)
		return;
	e->has_verdict = false;
	body = json_object_new_object();
	dap_message_put_bool(body, "isCurrent", false);
	dap_client_send_event(e->client, "ompdd/why", body);
}

void custom_events_close(struct custom_events *e)
{
	loop_timer_cancel(&e->client->loop, e->timer);
	e->timer = 0;
}
