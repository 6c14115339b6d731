/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attaching to and sampling the target. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "message.h"

void target_init(struct target *t, struct loop *loop, const char *uri, const char *token_file)
{
	t->loop = loop;
	if (!t->stacks)
		t->stacks = "none";
	service_open(&t->service, loop, uri, token_file);
}

static bool is_under_way(const struct target *t)
{
	return t->is_looking || t->state == TARGET_ATTACHING;
}

static void release(struct target *t)
{
	while (t->n_waiters && !is_under_way(t)) {
		struct target_waiter *w = t->waiters[0];

		memmove(t->waiters, t->waiters + 1, --t->n_waiters * sizeof(struct target_waiter *));
		loop_timer_cancel(t->loop, w->timer);
		w->done(w->arg);
		free(w);
	}
}

static void clear(struct target *t)
{
	free(t->id);
	free(t->why);
	json_object_put(t->info);
	t->id = t->why = NULL;
	t->info = NULL;
	t->state = TARGET_NONE;
}

void target_close(struct target *t)
{
	if (t->anew_timer)
		loop_timer_cancel(t->loop, t->anew_timer);
	t->state = TARGET_ATTACHING;
	service_close(&t->service);
	t->is_looking = false;
	t->state = TARGET_NONE;
	release(t);
	view_destroy(t->view);
	clear(t);
	free(t->method);
	json_object_put(t->params);
	*t = (struct target){0};
}

static void attach_done(void *arg, struct json_object *result, struct json_object *error)
{
	struct target *t = arg;
	const char *id = message_string(result, "target");

	if (id) {
		t->id = text_strdup(id);
		t->info = json_object_get(result);
		t->state = TARGET_READY;
	} else {
		t->why = service_error_text(error);
		t->state = TARGET_FAILED;
	}
	if (t->attached)
		t->attached(t->arg);
	bool wants = t->wants_look;
	t->is_looking = t->wants_look = false;
	if (wants && t->state == TARGET_READY)
		target_look(t);
	release(t);
}

static void attach(struct target *t)
{
	clear(t);
	t->state = TARGET_ATTACHING;
	service_call(&t->service, t->method, json_object_get(t->params), attach_done, t);
}

void target_attach(struct target *t, const char *method, struct json_object *params)
{
	free(t->method);
	json_object_put(t->params);
	t->method = text_strdup(method);
	t->params = params;
	t->was_anew = false;
	attach(t);
}

bool target_is_gone(struct json_object *error)
{
	return !strcmp(service_error_name(error), "target_exited");
}

/* Return whether the process has exited, or has called exec(), after which it is another program with the same id. */
static bool has_changed(struct json_object *error)
{
	return target_is_gone(error) || !strcmp(service_error_name(error), "target_exec");
}

/* Attach with a new worker: our own worker has only one target in its life. */
static void attach_in_another(void *arg)
{
	struct target *t = arg;
	void (*event)(void *, struct json_object *) = t->service.event;
	void *event_arg = t->service.arg;

	t->anew_timer = 0;
	service_close(&t->service);
	t->service.event = event;
	t->service.arg = event_arg;
	service_open(&t->service, t->loop, NULL, NULL);
	attach(t);
}

bool target_attach_anew(struct target *t, struct json_object *error)
{
	/* Another request has already noticed it, or has lost its worker by it. */
	if (t->state == TARGET_ATTACHING)
		return true;
	if (strcmp(t->method, "target.attach") != 0 ||
	    (t->state == TARGET_READY && (t->was_anew || !has_changed(error))))
		return false;
	t->was_anew = t->state == TARGET_READY;
	if (t->service.is_private) {
		clear(t);
		t->state = TARGET_ATTACHING;
		/* The worker's stream is in use now: replace it later. */
		t->anew_timer = loop_timer(t->loop, 0, attach_in_another, t);
		return true;
	}
	if (t->id)
		target_call(t, "target.detach", json_object_new_object(), NULL, NULL);
	attach(t);
	return true;
}

static void look_done(void *arg, struct json_object *result, struct json_object *error)
{
	struct target *t = arg;

	t->is_looking = false;
	bool wanted = t->wants_look;
	/* Attaching may fail before this returns: until then, a sample counts as in progress. */
	t->wants_look = t->is_looking = true;
	if (!result && target_attach_anew(t, error))
		return;
	t->wants_look = wanted;
	t->is_looking = false;
	if (t->wants_look) {
		target_look(t);
		return;
	}
	if (result) {
		view_destroy(t->view);
		t->view = view_create(result, t->info);
		t->is_fresh = true;
		t->was_anew = false;
	}
	if (t->looked)
		t->looked(t->arg);
	release(t);
}

void target_look(struct target *t)
{
	t->is_fresh = false;
	if (t->state == TARGET_ATTACHING || t->is_looking) {
		t->is_looking = t->wants_look = true;
		return;
	}
	if (t->state != TARGET_READY)
		return;
	struct json_object *params = json_object_new_object();

	t->is_looking = true;
	t->wants_look = false;
	t->looks++;
	message_put_string(params, "stacks", t->stacks);
	if (t->is_lean)
		message_put_bool(params, "icvs", false);
	target_call(t, "snapshot.get", params, look_done, t);
}

struct icvs_wait {
	struct target *t;
	uint64_t looks; /* number of the current sample */
	target_fn *done;
	void *arg;
};

static void icvs_came(void *arg, struct json_object *result, struct json_object *error)
{
	struct icvs_wait *w = arg;

	(void)error;
	if (result && w->t->is_fresh && w->t->looks == w->looks && w->t->view)
		view_take_icvs(w->t->view, result);
	w->done(w->arg);
	free(w);
}

void target_look_at_icvs(struct target *t, target_fn *done, void *arg)
{
	struct icvs_wait *w = text_calloc(1, sizeof(*w));
	struct json_object *params = json_object_new_object();

	*w = (struct icvs_wait){t, t->looks, done, arg};
	message_put_string(params, "stacks", t->stacks);
	target_call(t, "snapshot.get", params, icvs_came, w);
}

void target_forget(struct target *t)
{
	t->is_fresh = false;
}

static void waited(void *arg)
{
	struct target_waiter *w = arg;
	struct target *t = w->target;

	for (size_t i = 0; i < t->n_waiters; i++) {
		if (t->waiters[i] == w) {
			t->n_waiters--;
			memmove(t->waiters + i, t->waiters + i + 1,
				(t->n_waiters - i) * sizeof(struct target_waiter *));
			break;
		}
	}
	w->done(w->arg);
	free(w);
}

void target_wait(struct target *t, int ms, target_fn *done, void *arg)
{
	struct target_waiter *w;

	if (!is_under_way(t) || t->n_waiters == TARGET_MAX_WAITERS) {
		done(arg);
		return;
	}
	w = text_calloc(1, sizeof(*w));
	*w = (struct target_waiter){.target = t, .done = done, .arg = arg};
	w->timer = loop_timer(t->loop, ms, waited, w);
	t->waiters[t->n_waiters++] = w;
}

void target_call(struct target *t, const char *method, struct json_object *params, service_fn *done, void *arg)
{
	message_put_string(params, "target", t->id ? t->id : "");
	service_call(&t->service, method, params, done, arg);
}
