/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handles messages of workers: answers to clients, and notifications for the daemon itself. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/contract.h"
#include "base/log.h"
#include "rpc/message_split.h"
#include "session/events.h"
#include "session/request.h"
#include "session/target_table.h"

/* Read target.pid: only the worker knows the process that it started. */
static bool learn_pid(struct session_target *t, const char *text, size_t len)
{
	int64_t pid;

	if (!message_split_number(text, len, CONTRACT_TARGET_PID, "pid", &pid))
		return false;
	if (!t->pid && pid <= INT32_MAX)
		t->pid = (pid_t)pid;
	return true;
}

/* Read stop.ended, for GET /metrics. */
static bool learn_stop(struct session_target *t, const char *text, size_t len)
{
	int64_t us;

	if (!message_split_number(text, len, CONTRACT_STOP_ENDED, "us", &us))
		return false;
	histogram_add(&t->stop_time, us);
	histogram_add(&t->session->stats.stop_time, us);
	return true;
}

/* Read box.refused, for daemon.info. */
static bool learn_refused(struct session_target *t, const char *text, size_t len)
{
	int64_t n;

	if (!message_split_number(text, len, CONTRACT_BOX_REFUSED, "calls", &n))
		return false;
	t->session->stats.calls_refused += n > 0 ? (uint64_t)n : 0;
	return true;
}

/* These two return true if the target still exists. */
static bool answer_attach(struct session_target *t, struct request *r, const char *payload, size_t len)
{
	bool attached = payload_is_result(payload, len);
	bool wanted = r->to.client != NULL;

	target_name(r, t); /* the pid of a launched program is known by now */

	log_info("uid %u: %s %s: %s", t->uid, r->method, t->id, attached ? "ok" : "failed");
	t->attached = attached && wanted;
	/*
	 * Notify the worker before the answer is sent: a worker that ends without the notification ends the program,
	 * too.
	 */
	if (t->attached && t->launcher)
		target_notify(t, CONTRACT_LAUNCH_TOLD, json_object_new_object());
	if (t->attached || !attached)
		t->launcher = 0;
	request_answer_raw(r, payload, len);
	if (t->attached) {
		target_report_attached(t);
		return true;
	}
	_cleanup_error_ struct error *err =
		error_create(ERR_NO_SUCH_TARGET, "attaching %s %s", t->id, attached ? "was abandoned" : "failed");
	target_remove(t, err, false, EVENT_N_TYPES);
	return false;
}

static void answer_errand(struct session_target *t, struct request *r, const char *payload, size_t len)
{
	_cleanup_error_ struct error *err = error_create(ERR_NO_SUCH_TARGET, "%s was done", r->method);

	request_answer_raw(r, payload, len);
	target_remove(t, err, false, EVENT_N_TYPES);
}

static bool answer_detach(struct session_target *t, struct request *r, const char *payload, size_t len)
{
	bool detached = payload_is_result(payload, len);

	request_answer_raw(r, payload, len);
	if (!detached)
		return true;
	log_info("uid %u: target.detach %s: ok", t->uid, t->id);
	_cleanup_error_ struct error *err = error_create(ERR_NO_SUCH_TARGET, "%s was detached", t->id);
	target_remove(t, err, false, EVENT_DETACHED);
	return false;
}

void session_worker_message(struct session_target *t, const char *text, size_t len)
{
	struct session *s = t->session;
	struct request *r = NULL;
	const char *payload;
	size_t payload_len;
	int64_t seq;

	if (events_from_worker(t, text, len) || learn_pid(t, text, len) || learn_stop(t, text, len) ||
	    learn_refused(t, text, len))
		return;
	if (message_split_response(text, len, &seq, &payload, &payload_len)) {
		list_for_each (it, tmp, &t->sent) {
			r = list_entry(it, struct request, target_link);
			if (r->seq == seq)
				break;
			r = NULL;
		}
	}
	if (!r) {
		/* The worker itself never sends this, but a plugin may write to any descriptor. */
		log_warn("%s: not an answer: %.*s", t->id, (int)(len > 200 ? 200 : len), text);
		return;
	}
	list_remove(&r->target_link);
	t->n_sent--;
	t->busy_since_ms = session_now_ms(s);
	histogram_add(&t->request_time, clock_now_us() - r->received_us);
	switch (r->kind) {
	case REQUEST_ATTACH:
		if (!answer_attach(t, r, payload, payload_len))
			return;
		break;
	case REQUEST_ERRAND:
		answer_errand(t, r, payload, payload_len);
		return;
	case REQUEST_DETACH:
		if (!answer_detach(t, r, payload, payload_len))
			return;
		break;
	case REQUEST_POLL: /* never sent to a worker */
	case REQUEST_FORWARD:
		if (r->max_age_ms && payload_is_result(payload, payload_len))
			recent_put(&t->recent, r->method, r->params, r->params_len, payload, payload_len,
				   session_now_ms(s));
		request_answer_raw(r, payload, payload_len);
		break;
	}
	target_push(t);
}
