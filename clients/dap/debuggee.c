/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaching to and sampling the target. */
#include "debuggee.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "message.h"

void debuggee_init(struct debuggee *t, struct loop *loop, const char *uri, const char *token_file)
{
	t->loop = loop;
	if (!t->stacks)
		t->stacks = "none";
	service_open(&t->service, loop, uri, token_file);
}

bool debuggee_is_open(const struct debuggee *t)
{
	return t->service.is_open;
}

static bool is_under_way(const struct debuggee *t)
{
	return t->is_sampling || t->state == DEBUGGEE_ATTACHING;
}

static void release_waiters(struct debuggee *t)
{
	while (t->n_waiters && !is_under_way(t)) {
		struct debuggee_waiter *w = t->waiters[0];

		memmove(t->waiters, t->waiters + 1, --t->n_waiters * sizeof(struct debuggee_waiter *));
		loop_timer_cancel(t->loop, w->timer);
		w->done(w->arg);
		free(w);
	}
}

static void clear_target(struct debuggee *t)
{
	free(t->id);
	free(t->why);
	json_object_put(t->info);
	json_object_put(t->names);
	t->id = t->why = NULL;
	t->info = t->names = NULL;
	t->state = DEBUGGEE_NONE;
}

void debuggee_close(struct debuggee *t)
{
	if (t->anew_timer)
		loop_timer_cancel(t->loop, t->anew_timer);
	t->state = DEBUGGEE_ATTACHING;
	service_close(&t->service);
	t->is_sampling = false;
	t->state = DEBUGGEE_NONE;
	release_waiters(t);
	view_destroy(t->view);
	clear_target(t);
	free(t->method);
	json_object_put(t->params);
	*t = (struct debuggee){0};
}

static void finish_attaching(struct debuggee *t, enum debuggee_state state)
{
	t->state = state;
	if (t->attached)
		t->attached(t->arg);
	bool wants = t->wants_sample;
	t->is_sampling = t->wants_sample = false;
	if (wants && t->state == DEBUGGEE_READY)
		debuggee_sample(t);
	release_waiters(t);
}

static void on_names(void *arg, struct json_object *result, struct json_object *error)
{
	struct debuggee *t = arg;

	/* Without them, the native stacks get no labels. */
	(void)error;
	t->names = json_object_get(result);
	finish_attaching(t, DEBUGGEE_READY);
}

static void on_attached(void *arg, struct json_object *result, struct json_object *error)
{
	struct debuggee *t = arg;
	const char *id = dap_message_string(result, "target");

	if (id) {
		t->id = text_strdup(id);
		t->info = json_object_get(result);
		debuggee_call(t, "runtime.names", json_object_new_object(), on_names, t);
	} else {
		t->why = service_error_text(error);
		finish_attaching(t, DEBUGGEE_FAILED);
	}
}

static void attach_target(struct debuggee *t)
{
	clear_target(t);
	t->state = DEBUGGEE_ATTACHING;
	service_call(&t->service, t->method, json_object_get(t->params), on_attached, t);
}

void debuggee_attach(struct debuggee *t, const char *method, struct json_object *params)
{
	free(t->method);
	json_object_put(t->params);
	t->method = text_strdup(method);
	t->params = params;
	t->was_anew = false;
	attach_target(t);
}

bool debuggee_is_gone(struct json_object *error)
{
	return !strcmp(service_error_name(error), "target_exited");
}

/* Return whether the process has exited, or has called exec(), after which it is another program with the same id. */
static bool has_changed(struct json_object *error)
{
	return debuggee_is_gone(error) || !strcmp(service_error_name(error), "target_exec");
}

/* Attach with a new worker: our own worker has only one target in its life. */
static void reattach_target(void *arg)
{
	struct debuggee *t = arg;
	void (*event)(void *, struct json_object *) = t->service.event;
	void *event_arg = t->service.arg;

	t->anew_timer = 0;
	service_close(&t->service);
	t->service.event = event;
	t->service.arg = event_arg;
	service_open(&t->service, t->loop, NULL, NULL);
	attach_target(t);
}

bool debuggee_attach_anew(struct debuggee *t, struct json_object *error)
{
	/* Another request has already noticed it, or has lost its worker by it. */
	if (t->state == DEBUGGEE_ATTACHING)
		return true;
	if (strcmp(t->method, "target.attach") != 0 ||
	    (t->state == DEBUGGEE_READY && (t->was_anew || !has_changed(error))))
		return false;
	t->was_anew = t->state == DEBUGGEE_READY;
	if (t->service.is_private) {
		clear_target(t);
		t->state = DEBUGGEE_ATTACHING;
		/* The worker's stream is in use now: replace it later. */
		t->anew_timer = loop_timer(t->loop, 0, reattach_target, t);
		return true;
	}
	if (t->id)
		debuggee_call(t, "target.detach", json_object_new_object(), NULL, NULL);
	attach_target(t);
	return true;
}

static void on_sample(void *arg, struct json_object *result, struct json_object *error)
{
	struct debuggee *t = arg;

	t->is_sampling = false;
	bool wanted = t->wants_sample;
	/* Attaching may fail before this returns: until then, a sample counts as in progress. */
	t->wants_sample = t->is_sampling = true;
	if (!result && debuggee_attach_anew(t, error))
		return;
	t->wants_sample = wanted;
	t->is_sampling = false;
	if (t->wants_sample) {
		debuggee_sample(t);
		return;
	}
	if (result) {
		view_destroy(t->view);
		t->view = view_create(result, t->names);
		t->is_fresh = true;
		t->was_anew = false;
	}
	if (t->sampled)
		t->sampled(t->arg);
	release_waiters(t);
}

void debuggee_sample(struct debuggee *t)
{
	t->is_fresh = false;
	if (t->state == DEBUGGEE_ATTACHING || t->is_sampling) {
		t->is_sampling = t->wants_sample = true;
		return;
	}
	if (t->state != DEBUGGEE_READY)
		return;
	t->is_sampling = true;
	t->wants_sample = false;
	t->n_samples++;
	debuggee_request_sample(t, t->stacks, on_sample, t);
}

void debuggee_request_sample(struct debuggee *t, const char *stacks, service_fn *done, void *arg)
{
	static const char *const columns[] = {"state", "waits_for"};
	struct json_object *params = json_object_new_object(), *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		json_object_array_add(list, json_object_new_string(columns[i]));
	dap_message_put_string(params, "view", "threads");
	dap_message_put_string(params, "stacks", stacks);
	dap_message_put_bool(params, "fold", false);
	dap_message_put_bool(params, "raw", true);
	json_object_object_add(params, "columns", list);
	debuggee_call(t, "view.get", params, done, arg);
}

struct icvs_wait {
	struct debuggee *t;
	uint64_t n_samples; /* number of the current sample */
	debuggee_fn *done;
	void *arg;
};

static void on_icvs(void *arg, struct json_object *result, struct json_object *error)
{
	struct icvs_wait *w = arg;

	(void)error;
	if (result && w->t->is_fresh && w->t->n_samples == w->n_samples && w->t->view)
		view_take_icvs(w->t->view, result);
	w->done(w->arg);
	free(w);
}

void debuggee_request_icvs(struct debuggee *t, debuggee_fn *done, void *arg)
{
	struct icvs_wait *w = text_calloc(1, sizeof(*w));
	struct json_object *params = json_object_new_object();

	*w = (struct icvs_wait){t, t->n_samples, done, arg};
	dap_message_put_string(params, "stacks", t->stacks);
	debuggee_call(t, "snapshot.get", params, on_icvs, w);
}

void debuggee_stopped(struct debuggee *t)
{
	t->is_stopped = true;
	debuggee_sample(t);
}

void debuggee_ran(struct debuggee *t)
{
	t->is_stopped = t->is_fresh = false;
	t->stop++;
}

struct view *debuggee_view(const struct debuggee *t)
{
	return t->is_fresh ? t->view : NULL;
}

static void on_wait_timeout(void *arg)
{
	struct debuggee_waiter *w = arg;
	struct debuggee *t = w->target;

	for (size_t i = 0; i < t->n_waiters; i++) {
		if (t->waiters[i] == w) {
			t->n_waiters--;
			memmove(t->waiters + i, t->waiters + i + 1,
				(t->n_waiters - i) * sizeof(struct debuggee_waiter *));
			break;
		}
	}
	w->done(w->arg);
	free(w);
}

void debuggee_wait(struct debuggee *t, int ms, debuggee_fn *done, void *arg)
{
	struct debuggee_waiter *w;

	if (!is_under_way(t) || t->n_waiters == DEBUGGEE_MAX_WAITERS) {
		done(arg);
		return;
	}
	w = text_calloc(1, sizeof(*w));
	*w = (struct debuggee_waiter){.target = t, .done = done, .arg = arg};
	w->timer = loop_timer(t->loop, ms, on_wait_timeout, w);
	t->waiters[t->n_waiters++] = w;
}

void debuggee_call(struct debuggee *t, const char *method, struct json_object *params, service_fn *done, void *arg)
{
	dap_message_put_string(params, "target", t->id ? t->id : "");
	service_call(&t->service, method, params, done, arg);
}
