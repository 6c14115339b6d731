/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sending of ompdd/tree, ompdd/why and ompdd/profile as events. */
#include "custom_events.h"

#include <string.h>

#include <json-c/json.h>

#include "format.h"
#include "message.h"
#include "session.h"
#include "debuggee.h"

/* Profiles */

static void schedule_request(struct dap_session *s, struct debuggee *t);

static void on_progress(void *arg, struct json_object *result, struct json_object *error)
{
	struct dap_session *s = arg;
	struct json_object *profile = format_member(result, "profile"), *body;

	(void)error;
	/* If a new profile was started meanwhile, only that one is reported. After the end of the session, none is. */
	if (!profile || s->custom.timer || !s->custom.t)
		return;
	body = json_object_new_object();
	json_object_object_add(body, "profile", json_object_get(profile));
	dap_session_event(s, "ompdd/profile", body);
	if (dap_message_bool(profile, "recording"))
		schedule_request(s, s->custom.t);
}

static void on_timer(void *arg)
{
	struct dap_session *s = arg;

	s->custom.timer = 0;
	debuggee_call(s->custom.t, "profile.get", json_object_new_object(), on_progress, s);
}

static void schedule_request(struct dap_session *s, struct debuggee *t)
{
	s->custom.s = s;
	s->custom.t = t;
	if (!s->custom.timer)
		s->custom.timer = loop_timer(&s->loop, CUSTOM_PROFILE_MS, on_timer, s);
}

/* Requested events */

void custom_events_answered(struct dap_session *s, struct debuggee *t, struct json_object *request,
			    struct json_object *result)
{
	const char *command = dap_message_name(request);
	const char *action = dap_message_string(dap_message_get(request, "arguments", NULL), "action");

	if (!strcmp(command, "ompdd/tree"))
		s->custom.wants_tree = true;
	else if (!strcmp(command, "ompdd/why"))
		s->custom.has_verdict = true;
	else if (!strcmp(command, "ompdd/profile") && action && !strcmp(action, "start") &&
		 dap_message_bool(format_member(result, "profile"), "recording"))
		schedule_request(s, t);
}

void custom_events_looked(struct dap_session *s, const struct debuggee *t)
{
	const struct view *v = t->is_fresh ? t->view : NULL;
	struct json_object *body;
	size_t n_named = 0, n_tasks = 0;
	const char *consistency;

	if (!v || !s->custom.wants_tree)
		return;
	for (size_t i = 0; i < v->s.n_parallels; i++)
		n_named += v->functions[i] != NULL;
	if (s->custom.look == t->looks && s->custom.n_named == n_named)
		return;
	s->custom.look = t->looks;
	s->custom.n_named = n_named;
	for (size_t i = 0; i < v->s.n_tasks; i++)
		n_tasks += v->s.tasks[i].kind && !strcmp(v->s.tasks[i].kind, "explicit");
	consistency = dap_message_string(v->s.json, "consistency");
	body = json_object_new_object();
	dap_message_put_int(body, "regions", (int64_t)v->s.n_parallels);
	dap_message_put_int(body, "threads", (int64_t)v->s.n_threads);
	dap_message_put_int(body, "tasks", (int64_t)n_tasks);
	dap_message_put_int(body, "named", (int64_t)n_named);
	dap_message_put_string(body, "consistency", consistency ? consistency : "racy");
	dap_session_event(s, "ompdd/tree", body);
}

void custom_events_ran(struct dap_session *s)
{
	struct json_object *body;

	if (!s->custom.has_verdict)
		return;
	s->custom.has_verdict = false;
	body = json_object_new_object();
	dap_message_put_bool(body, "isCurrent", false);
	dap_session_event(s, "ompdd/why", body);
}

void custom_events_close(struct dap_session *s)
{
	if (s->custom.timer)
		loop_timer_cancel(&s->loop, s->custom.timer);
	s->custom = (struct custom_events){0};
}
