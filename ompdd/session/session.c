/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns messages into requests. This process answers some (daemon_methods.c); the worker of the target answers the
 * others (target_table.c, server/worker_proc.c).
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/audit.h"
#include "base/clock.h"
#include "methods_daemon.h"
#include "session/events.h"
#include "session/permit.h"
#include "session/request.h"
#include "session/target_table.h"

struct error *session_create(const struct session_options *options, struct session **ret)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return &error_nomem;
	message_global_init();
	s->options = *options;
	s->options.quota = quota_complete(options->quota);
	s->started_ms = options->now_ms(options->context);
	list_init(&s->clients);
	list_init(&s->polls);
	*ret = s;
	return NULL;
}

void session_destroy(struct session *s)
{
	if (!s)
		return;
	session_shutdown(s);
	event_ring_deinit(&s->events);
	for (size_t i = 0; i < SESSION_OBITUARIES; i++)
		free(s->obituaries[i].reason);
	for (size_t i = 0; i < s->n_listeners; i++)
		free(s->listeners[i]);
	buf_deinit(&s->scratch);
	free(s);
}

void session_set_limits(struct session *s, int64_t request_timeout_ms, struct quota quota)
{
	s->options.request_timeout_ms = request_timeout_ms;
	s->options.quota = quota_complete(quota);
}

struct error *session_add_listener(struct session *s, const char *uri)
{
	if (s->n_listeners == SESSION_MAX_LISTENERS)
		return error_create(ERR_LIMIT_EXCEEDED, "more than %d listeners", SESSION_MAX_LISTENERS);
	char *copy = strdup(uri);
	if (!copy)
		return &error_nomem;
	s->listeners[s->n_listeners++] = copy;
	return NULL;
}

struct error *client_create(struct session *s, const struct client_ops *ops, void *conn,
			    const struct session_peer *peer, bool authenticated, struct client **ret)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_nomem;
	c->session = s;
	c->ops = ops;
	c->conn = conn;
	c->id = ++s->last_client;
	c->peer = *peer;
	c->authenticated = authenticated;
	list_init(&c->requests);
	list_init(&c->batches);
	list_append(&s->clients, &c->link);
	*ret = c;
	return NULL;
}

void client_destroy(struct client *c)
{
	if (!c)
		return;
	target_client_gone(c);
	while (!list_is_empty(&c->batches))
		batch_destroy(list_entry(c->batches.next, struct batch, link));
	events_unsubscribe(c, 0);
	free(c->subscriptions);
	list_remove(&c->link);
	free(c);
}

void client_acts_for(struct client *c, struct client *owner)
{
	c->owner = owner;
}

struct error *session_check_connection(const struct session *s, uid_t uid, size_t all)
{
	struct quota_use use = {.all = all, .limit = LIMIT_CONNECTIONS};

	list_for_each (it, tmp, (struct list *)&s->clients)
		use.own += list_entry(it, struct client, link)->peer.uid == uid;
	return quota_check(&use, s->options.quota.connections, "connections", uid);
}

bool client_is_idle(const struct client *c)
{
	return c->in_flight == 0 && list_is_empty(&c->batches);
}

bool client_is_authenticated(const struct client *c)
{
	return c->authenticated;
}

/* Audit a refused request that reached no worker; @m may be empty. */
static void audit_refusal(const struct client *c, const char *method, const struct message *m, const struct error *err)
{
	struct json_object *target = NULL, *pid = NULL;

	if (m->params) {
		json_object_object_get_ex(m->params, "target", &target);
		json_object_object_get_ex(m->params, "pid", &pid);
	}
	audit_write(&(struct audit_entry){
		.uid = c->peer.uid,
		.pid = c->peer.pid,
		.program = c->peer.program,
		.method = method,
		.target = json_object_is_type(target, json_type_string) ? json_object_get_string(target) : NULL,
		.target_pid = json_object_is_type(pid, json_type_int) && json_object_get_int64(pid) > 0
				      ? (pid_t)json_object_get_int64(pid)
				      : 0,
		.outcome = error_name(err),
	});
}

/* Call a method of this process. Takes nothing from @m. */
static void call_daemon_method(struct session *s, const struct reply_to *to, const struct message *m)
{
	struct json_object *result = NULL;

	s->current = to->client;
	struct error *err = dispatch_call(methods_daemon, s, m->method, m->params, &result);
	s->current = NULL;
	if (error_is(err, ERR_UNAUTHORIZED))
		audit_refusal(to->client, m->method, m, err);
	if (!m->id) {
		s->stats.notifications++;
	} else if (err) {
		reply_error(s, to, m->id, err);
	} else {
		reply_result(s, to, m->id, result);
	}
	json_object_put(result);
	error_destroy(err);
}

static struct error *forward_request(struct session *s, const struct reply_to *to, const struct method *method,
				     struct message *m)
{
	struct session_target *t;
	struct json_object *name;

	if (method->role == METHOD_ROLE_ATTACH)
		return session_target_attach(s, to, m);
	if (method->role == METHOD_ROLE_OPEN_CORE)
		return session_target_open_core(s, to, m);
	if (method->role == METHOD_ROLE_LAUNCH)
		return session_target_launch(s, to, m);
	if (method->role == METHOD_ROLE_ERRAND)
		return target_errand(s, to, method, m);
	if (!json_object_object_get_ex(m->params, "target", &name) || !json_object_is_type(name, json_type_string)) {
		struct error *err = method->check(m->params);
		if (err)
			return err;
		return error_create(ERR_INTERNAL_ERROR, "%s has no target", m->method);
	}
	struct error *err = target_find(s, to->client, json_object_get_string(name), &t);
	if (!err)
		err = permit_target(to->client, method, t);
	if (err)
		return err;
	return target_forward(s, to, t, method, m);
}

/* @method: NULL for an unknown method. */
static struct error *refuse_unauthenticated(const struct client *c, const struct method *method)
{
	if (c->authenticated || (method && method->role == METHOD_ROLE_AUTHENTICATE))
		return NULL;
	struct error *err =
		error_create(ERR_UNAUTHORIZED, "the first request of this connection must be rpc.authenticate");
	return error_hint(err, "send {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"rpc.authenticate\","
			       "\"params\":{\"token\":\"...\"}} with the token of --token-file first");
}

static struct error *refuse_load(struct client *c, const struct reply_to *to)
{
	/* A started batch is answered completely. */
	if (to->batch || c->in_flight < LIMIT_IN_FLIGHT)
		return NULL;
	struct error *err = error_create(ERR_LIMIT_EXCEEDED, "%d requests of this connection are in flight already",
					 LIMIT_IN_FLIGHT);
	return error_detail(err, "limit", "in_flight");
}

/* Answer or forward one request; @m may be empty afterwards. */
static void handle_request(struct client *c, const struct reply_to *to, struct message *m)
{
	struct session *s = c->session;
	bool authenticated = c->authenticated;
	bool challenged = c->challenged;
	bool waits = false;
	struct error *err;

	struct json_object *id = json_object_get(m->id);
	const struct method *method = dispatch_find(m->method);
	err = refuse_unauthenticated(c, method);
	if (!err && s->shutting_down)
		err = error_create(ERR_SHUTTING_DOWN, "ompdd is stopping");
	if (!err && !method)
		err = dispatch_unknown(m->method);
	if (!err)
		err = permit_method(c, method, m->params);
	if (!err && method->role == METHOD_ROLE_POLL) {
		err = refuse_load(c, to);
		if (!err)
			err = events_poll_wait(to, m, &waits);
	}
	if (!err && waits) {
		/* Nothing to do: session/events.c answers when an event occurs. */
	} else if (!err && method->where == METHOD_IN_DAEMON) {
		call_daemon_method(s, to, m);
	} else if (!err) {
		err = refuse_load(c, to);
		if (!err)
			err = forward_request(s, to, method, m);
	}
	if (err &&
	    ((method && method->is_audited) || error_is(err, ERR_UNAUTHORIZED) || error_is(err, ERR_NOT_ALLOWED)))
		audit_refusal(c, method ? method->name : "unknown", m, err);
	if (err && id)
		reply_error(s, to, id, err);
	error_destroy(err);
	json_object_put(id);
	/* A client may request the challenge once; it then authenticates on the same connection. */
	if (!authenticated && !c->authenticated && (challenged || !c->challenged))
		c->ops->finish(c->conn);
}

struct error *session_receive(struct client *c, const char *text, size_t len, bool *answered_ret)
{
	struct message_batch batch = {0};
	struct reply_to to = {.client = c};
	bool answered = false;

	c->session->received_us = clock_now_us();
	struct error *err = message_parse(text, len, false, &batch);
	if (err) {
		client_send_error(c, err);
		*answered_ret = true;
		/* After invalid JSON, message boundaries can no longer be trusted. */
		if (error_is(err, ERR_PARSE_ERROR))
			return err;
		error_destroy(err);
		if (!c->authenticated)
			c->ops->finish(c->conn);
		return NULL;
	}
	if (batch.is_batch && c->in_flight >= LIMIT_IN_FLIGHT) {
		err = refuse_load(c, &to);
		client_send_error(c, err);
		error_destroy(err);
		message_batch_deinit(&batch);
		*answered_ret = true;
		return NULL;
	}
	if (batch.is_batch) {
		err = batch_create(c, batch.n, &to.batch);
		if (err) {
			message_batch_deinit(&batch);
			return err;
		}
	}
	for (size_t i = 0; i < batch.n; i++) {
		struct message *m = &batch.messages[i];

		to.index = i;
		answered |= m->id || batch.errors[i];
		if (batch.errors[i]) {
			reply_error(c->session, &to, m->id, batch.errors[i]);
			if (!c->authenticated)
				c->ops->finish(c->conn);
		} else {
			handle_request(c, &to, m);
		}
	}
	if (to.batch)
		batch_close(to.batch);
	message_batch_deinit(&batch);
	*answered_ret = answered;
	return NULL;
}

bool session_tick(struct session *s)
{
	bool more = target_tick(s);

	return events_tick(s) || more;
}

void session_shutdown(struct session *s)
{
	_cleanup_error_ struct error *err = error_create(ERR_SHUTTING_DOWN, "ompdd is stopping");

	s->shutting_down = true;
	events_end_polls(s, err);
	target_end_all(s, err);
}

const struct session_stats *session_stats(const struct session *s)
{
	return &s->stats;
}

size_t session_count_targets(const struct session *s)
{
	return s->n_targets;
}

size_t session_count_pending(const struct session *s)
{
	return s->n_pending;
}

struct error *session_each_target(const struct client *c,
				  struct error *(*fn)(const struct session_target_stats *, void *), void *arg)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < LIMIT_TARGETS; i++) {
		const struct session_target *t = c->session->targets[i];

		if (t && target_is_visible(t, c))
			err = fn(&(struct session_target_stats){.id = t->id,
								.mode = t->mode,
								.pid = t->pid,
								.request_time = &t->request_time,
								.stop_time = &t->stop_time},
				 arg);
	}
	return err;
}
