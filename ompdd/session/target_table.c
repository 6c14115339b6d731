/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Target ids and their workers: attach, forward, and every way in which a worker ends. */
#include "session/target_table.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/contract.h"
#include "base/log.h"
#include "methods.h"
#include "rpc/message_split.h"
#include "session/events.h"
#include "session/json.h"
#include "session/request.h"

/*
 * The number of requests that a worker holds: one to answer, and the next one. The others stay here, where
 * request.cancel and a client's end can still drop them.
 */
#define TARGET_WINDOW 2

static void obituary_write(const struct session_target *t, const char *reason)
{
	struct session *s = t->session;
	struct obituary *o = &s->obituaries[s->n_obituaries++ % SESSION_OBITUARIES];

	free(o->reason);
	snprintf(o->id, sizeof(o->id), "%s", t->id);
	o->uid = t->uid;
	o->reason = strdup(reason);
}

static bool may_know(const struct client *c, uid_t uid)
{
	return c->peer.uid == 0 || c->peer.uid == uid;
}

static const char *obituary_find(const struct client *c, const char *id)
{
	for (size_t i = 0; i < SESSION_OBITUARIES; i++) {
		const struct obituary *o = &c->session->obituaries[i];

		if (o->reason && may_know(c, o->uid) && !strcmp(o->id, id))
			return o->reason;
	}
	return NULL;
}

bool target_is_visible(const struct session_target *t, const struct client *c)
{
	return !t->is_errand && may_know(c, t->uid);
}

struct error *target_find(struct session *s, const struct client *c, const char *id, struct session_target **ret)
{
	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		struct session_target *t = s->targets[i];

		if (t && !strcmp(t->id, id) && target_is_visible(t, c)) {
			*ret = t;
			return NULL;
		}
	}
	const char *reason = obituary_find(c, id);
	struct error *err = error_create(ERR_NO_SUCH_TARGET, "no such target: \"%.32s\"", id);
	if (reason)
		error_detail(err, "reason", "%s", reason);
	return error_detail(err, "target", "%.32s", id);
}

struct error *target_create(struct session *s, uid_t uid, bool is_errand, struct session_target **ret)
{
	struct quota_use use = {.all = s->n_targets, .limit = LIMIT_TARGETS};
	size_t slot = 0;

	for (size_t i = 0; i < LIMIT_TARGETS; i++)
		use.own += s->targets[i] && s->targets[i]->uid == uid;
	struct error *err = quota_check(&use, s->options.quota.targets, "targets", uid);
	if (err)
		return err;
	while (s->targets[slot])
		slot++;
	struct session_target *t = calloc(1, sizeof(*t));
	if (!t)
		return &error_nomem;
	t->session = s;
	t->slot = slot;
	t->uid = uid;
	list_init(&t->queued);
	list_init(&t->sent);
	t->is_errand = is_errand;
	if (is_errand)
		snprintf(t->id, sizeof(t->id), "errand");
	else
		snprintf(t->id, sizeof(t->id), "t%" PRIu64, ++s->last_target);
	s->targets[slot] = t;
	s->n_targets++;
	*ret = t;
	return NULL;
}

void session_target_destroy(struct session_target *t)
{
	struct session *s = t->session;

	s->targets[t->slot] = NULL;
	s->n_targets--;
	list_for_each (it, tmp, &s->clients)
		list_entry(it, struct client, link)->touched &= ~(UINT64_C(1) << t->slot);
	recent_deinit(&t->recent);
	free(t->core);
	free(t);
}

/* Details are optional: without memory the event is sent without them. */
static void add_detail(struct json_object *o, const char *key, struct json_object *value)
{
	error_destroy(json_add(o, key, value));
}

void target_report_attached(struct session_target *t)
{
	struct json_object *o = json_object_new_object();

	if (t->pid)
		add_detail(o, "pid", json_object_new_int64(t->pid));
	add_detail(o, "mode", json_object_new_string(t->mode));
	events_emit(t, EVENT_ATTACHED, o);
}

static void report_end(struct session_target *t, const struct error *err, enum event_type event)
{
	struct json_object *o = json_object_new_object();

	if (t->pid)
		add_detail(o, "pid", json_object_new_int64(t->pid));
	if (event != EVENT_DETACHED) {
		add_detail(o, "name", json_object_new_string(error_name(err)));
		add_detail(o, "message", json_object_new_string(err->message));
	}
	events_emit(t, event, o);
}

static void answer_all(struct list *requests, const struct error *err)
{
	while (!list_is_empty(requests))
		request_answer_error(list_entry(requests->next, struct request, target_link), err);
}

/*
 * Make @t's worker end the program that it has launched or is about to launch: no client will learn of it. A worker
 * that does not react is killed in the end. Its tracer then ends the program (tracer/tracer_main.c), unless the worker
 * has answered already. The worker therefore gets enough time to read this even on a slow machine.
 */
static void end_launched(struct session_target *t)
{
	struct session *s = t->session;
	char params[48];

	int len = snprintf(params, sizeof(params), "{\"target\":\"%s\"}", t->id);
	s->scratch.len = s->scratch.start = 0;
	struct error *err =
		message_write_request(&s->scratch, ++s->last_seq, t->launcher, "target.kill", params, (size_t)len);
	if (!err)
		s->options.workers->send(t->worker, buf_head(&s->scratch), s->scratch.len);
	error_destroy(err);
	buf_consume(&s->scratch, s->scratch.len);
}

void target_remove(struct session_target *t, const struct error *err, bool kill_worker, enum event_type event)
{
	if (t->worker && t->launcher)
		end_launched(t);
	if (t->worker)
		t->session->options.workers->end(t->worker, kill_worker	  ? WORKER_KILLED
							    : t->launcher ? WORKER_HEARS_OUT
									  : WORKER_LEAVES);
	t->worker = NULL;
	/* Free the slot before the answers are sent: clients may read them at once. */
	t->session->targets[t->slot] = NULL;
	if (!t->is_errand)
		obituary_write(t, err->message);
	answer_all(&t->sent, err);
	answer_all(&t->queued, err);
	if (t->attached && event != EVENT_N_TYPES)
		report_end(t, err, event);
	session_target_destroy(t);
}

/* Answer @r with a recent answer to another client's request, if there is one. Returns true if it did. */
static bool answer_recent(struct session_target *t, struct request *r)
{
	const struct recent_answer *a = r->max_age_ms ? recent_find(&t->recent, r->method, r->params, r->params_len,
								    r->max_age_ms, session_now_ms(t->session))
						      : NULL;

	if (a)
		request_answer_raw(r, a->payload, a->payload_len);
	return a != NULL;
}

/* Return true if the worker already handles the same request with max_age_ms: @r then gets that answer. */
static bool is_under_way(const struct session_target *t, const struct request *r)
{
	list_for_each (it, tmp, (struct list *)&t->sent) {
		const struct request *sent = list_entry(it, struct request, target_link);

		if (sent->max_age_ms && sent->params_len == r->params_len && !strcmp(sent->method, r->method) &&
		    !memcmp(sent->params, r->params, r->params_len))
			return true;
	}
	return false;
}

void target_push(struct session_target *t)
{
	struct session *s = t->session;

	while (t->n_sent < TARGET_WINDOW && !list_is_empty(&t->queued)) {
		struct request *r = list_entry(t->queued.next, struct request, target_link);

		if (answer_recent(t, r))
			continue;
		if (r->max_age_ms && is_under_way(t, r))
			break;
		r->seq = ++s->last_seq;
		s->scratch.len = s->scratch.start = 0;
		struct error *err =
			message_write_request(&s->scratch, r->seq, r->client_id, r->method, r->params, r->params_len);
		if (err) {
			request_answer_error(r, err);
			error_destroy(err);
			continue;
		}
		if (!r->max_age_ms) {
			free(r->params);
			r->params = NULL;
		}
		list_remove(&r->target_link);
		list_append(&t->sent, &r->target_link);
		if (t->n_sent++ == 0)
			t->busy_since_ms = session_now_ms(s);
		s->options.workers->send(t->worker, buf_head(&s->scratch), s->scratch.len);
		buf_consume(&s->scratch, s->scratch.len);
		if (s->options.arm)
			s->options.arm(s->options.context);
	}
}

void target_name(struct request *r, const struct session_target *t)
{
	snprintf(r->target, sizeof(r->target), "%s", t->id);
	r->target_pid = t->pid;
}

void target_queue(struct session_target *t, const struct reply_to *to, struct request *r)
{
	client_owner(to->client)->touched |= UINT64_C(1) << t->slot;
	target_name(r, t);
	list_append(&t->queued, &r->target_link);
	target_push(t);
}

struct error *target_forward(struct session *s, const struct reply_to *to, struct session_target *t,
			     const struct method *method, struct message *m)
{
	enum request_kind kind = method->role == METHOD_ROLE_DETACH ? REQUEST_DETACH : REQUEST_FORWARD;
	struct request *r;

	struct error *err = request_create(s, kind, to, m, &r);
	if (err)
		return err;
	target_queue(t, to, r);
	return NULL;
}

void target_notify(struct session_target *t, const char *method, struct json_object *params)
{
	struct session *s = t->session;

	s->scratch.len = s->scratch.start = 0;
	struct error *err = params ? message_write_notification(&s->scratch, method, params) : &error_nomem;
	if (!err)
		s->options.workers->send(t->worker, buf_head(&s->scratch), s->scratch.len);
	error_destroy(err);
	buf_consume(&s->scratch, s->scratch.len);
	json_object_put(params);
}

static struct request *get_oldest_sent(const struct session_target *t)
{
	return list_entry(t->sent.next, struct request, target_link);
}

static struct error *create_death_error(const struct session_target *t, int wait_status)
{
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == CONTRACT_EXIT_PLUGIN_CRASHED)
		return error_create(ERR_PLUGIN_CRASHED, "the OMPD library of %s crashed", t->id);
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == CONTRACT_EXIT_PLUGIN_HUNG)
		return error_create(ERR_PLUGIN_HUNG, "the OMPD library of %s did not return in time", t->id);
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == CONTRACT_EXIT_CPU_SPENT)
		return error_create(ERR_WORKER_FAILED, "the worker of %s ended: %s took too much processor time", t->id,
				    t->n_sent ? get_oldest_sent(t)->method : "an event");
	if (WIFSIGNALED(wait_status))
		return error_create(ERR_WORKER_FAILED, "the worker of %s died: signal %d (%s)", t->id,
				    WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	return error_create(ERR_WORKER_FAILED, "the worker of %s died: exit status %d", t->id,
			    WEXITSTATUS(wait_status));
}

/* The other requests were only waiting behind this one. */
static void answer_cpu_spent(struct request *r)
{
	_cleanup_error_ struct error *err =
		error_create(ERR_LIMIT_EXCEEDED,
			     "%s took too much processor time in one call of a library, probably because of the "
			     "debug information of the target's modules",
			     r->method);

	error_detail(err, "limit", "cpu");
	error_hint(err, "attach again and send other requests, reduce the modules' debug information (strip "
			"--strip-debug), or start ompdd with a larger --worker-cpu");
	request_answer_error(r, err);
}

void session_worker_failed(struct session_target *t, struct error *why)
{
	_cleanup_error_ struct error *err = why;

	log_err(LOG_WARN, err, "%s", t->id);
	t->session->stats.workers_failed++;
	t->worker = NULL;
	target_remove(t, err, false, EVENT_WORKER_FAILED);
}

void session_worker_died(struct session_target *t, int wait_status)
{
	_cleanup_error_ struct error *err = create_death_error(t, wait_status);

	log_warn("%s", err->message);
	t->session->stats.workers_failed++;
	t->worker = NULL;
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == CONTRACT_EXIT_CPU_SPENT && t->n_sent)
		answer_cpu_spent(get_oldest_sent(t));
	target_remove(t, err, false, error_is(err, ERR_WORKER_FAILED) ? EVENT_WORKER_FAILED : EVENT_PLUGIN_FAILED);
}

static void target_timeout(struct session_target *t)
{
	struct request *oldest = get_oldest_sent(t);
	long long limit = t->session->options.request_timeout_ms;
	_cleanup_error_ struct error *timeout =
		error_create(ERR_REQUEST_TIMEOUT, "no answer to %s within %lld ms", oldest->method, limit);
	_cleanup_error_ struct error *failed =
		error_create(ERR_WORKER_FAILED, "the worker of %s was ended: it did not answer %s within %lld ms",
			     t->id, oldest->method, limit);

	log_warn("%s", failed->message);
	t->session->stats.workers_failed++;
	request_answer_error(oldest, timeout);
	/* A worker with a pending launch gets time to end the process that it may have started. */
	target_remove(t, failed, !t->launcher, EVENT_WORKER_FAILED);
}

bool target_tick(struct session *s)
{
	int64_t now = session_now_ms(s);
	bool more = false;

	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		struct session_target *t = s->targets[i];

		if (!t)
			continue;
		more |= recent_expire(&t->recent, now);
		if (t->n_sent == 0)
			continue;
		if (now - t->busy_since_ms >= s->options.request_timeout_ms)
			target_timeout(t);
		else
			more = true;
	}
	return more;
}

/* Return the target of a request of ours that is still queued or sent. */
static struct session_target *find_target(struct request *r)
{
	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		struct session_target *t = r->session->targets[i];

		if (!t)
			continue;
		list_for_each (it, tmp, &t->sent) {
			if (it == &r->target_link)
				return t;
		}
	}
	return NULL;
}

/* Remove the target that @r creates: no client will learn its id. */
static void attach_give_up(struct request *r)
{
	struct session_target *t = find_target(r);
	_cleanup_error_ struct error *err =
		error_create(ERR_NO_SUCH_TARGET, "the attach of %s was abandoned", t ? t->id : "it");

	if (t)
		target_remove(t, err, false, EVENT_N_TYPES);
}

bool target_hear_launch(struct request *r)
{
	struct session_target *t = r->kind == REQUEST_ATTACH ? find_target(r) : NULL;
	const struct worker_ops *ops = t ? t->session->options.workers : NULL;

	if (!t || !t->launcher || !t->worker || !ops->hear)
		return false;
	ops->hear(t->worker);
	return true;
}

void target_cancel(struct request *r)
{
	_cleanup_error_ struct error *err = error_create(ERR_REQUEST_CANCELLED, "%s was cancelled", r->method);

	if (r->kind == REQUEST_ATTACH || r->kind == REQUEST_ERRAND) {
		request_answer_early(r, err);
		attach_give_up(r);
	} else if (r->seq == 0) {
		request_answer_error(r, err);
	} else {
		request_answer_early(r, err);
	}
}

static void send_client_gone(struct session_target *t, int64_t client)
{
	struct json_object *params = json_object_new_object();

	add_detail(params, "client", json_object_new_int64(client));
	target_notify(t, CONTRACT_CLIENT_GONE, params);
}

void target_client_gone(struct client *c)
{
	struct session *s = c->session;

	/* Removing a target may remove further requests of this client from the list. */
	while (!list_is_empty(&c->requests)) {
		struct request *r = list_entry(c->requests.next, struct request, client_link);

		s->stats.requests_dropped++;
		request_audit(r, "client_gone");
		request_abandon(r);
		if (r->kind == REQUEST_ATTACH || r->kind == REQUEST_ERRAND)
			attach_give_up(r);
		else if (r->seq == 0)
			request_destroy(r);
	}
	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		if (s->targets[i] && c->touched & (UINT64_C(1) << i))
			send_client_gone(s->targets[i], c->id);
	}
}

void target_end_all(struct session *s, const struct error *err)
{
	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		if (s->targets[i])
			target_remove(s->targets[i], err, false, EVENT_N_TYPES);
	}
}
