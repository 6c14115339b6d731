/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates a target: starts a worker for it and sends its first request. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "methods.h"
#include "session/request.h"
#include "session/target_table.h"

static struct error *refuse_self(struct session *s, int64_t pid)
{
	bool self = pid == getpid();
	for (size_t i = 0; i < LIMIT_TARGETS; i++)
		self |= s->targets[i] && s->targets[i]->worker_pid == pid;
	if (!self)
		return NULL;
	return error_create(ERR_SELF_ATTACH, "process %" PRId64 " is ompdd itself, or one of its workers", pid);
}

/* Start the worker of the new target @t and send @m as its first request. Destroys @t on error. */
static struct error *start_target(struct session *s, const struct reply_to *to, struct session_target *t,
				  struct message *m)
{
	enum request_kind kind = t->is_errand ? REQUEST_ERRAND : REQUEST_ATTACH;
	struct request *r;

	struct error *err = s->options.workers->start(s->options.workers_context, t, t->id, to->client->peer.uid,
						      to->client->peer.gid, &t->worker, &t->worker_pid);
	if (err) {
		session_target_destroy(t);
		return err;
	}
	s->stats.workers_started++;
	err = request_create(s, kind, to, m, &r);
	if (err) {
		s->options.workers->end(t->worker, WORKER_LEAVES);
		session_target_destroy(t);
		return err;
	}
	target_queue(t, to, r);
	if (t->n_sent == 0)
		target_remove(t, &error_nomem, false, EVENT_N_TYPES); /* already answered */
	return NULL;
}

struct error *session_target_attach(struct session *s, const struct reply_to *to, struct message *m)
{
	struct target_attach_params p;
	struct session_target *t = NULL;

	struct error *err = target_attach_params_decode(m->params, &p);
	if (err)
		return err;
	target_attach_params_deinit(&p); /* the worker checks the rest of the parameters */
	err = refuse_self(s, p.pid);
	if (!err)
		err = target_create(s, to->client->peer.uid, false, &t);
	if (err)
		return err;
	t->pid = (pid_t)p.pid;
	t->mode = p.mode == TARGET_ATTACH_MODE_OBSERVE ? "observe" : "stop";
	t->max_stop_ms = p.max_stop_ms;
	return start_target(s, to, t, m);
}

struct error *session_target_open_core(struct session *s, const struct reply_to *to, struct message *m)
{
	struct target_open_core_params p;
	struct session_target *t = NULL;

	struct error *err = target_open_core_params_decode(m->params, &p);
	if (err)
		return err;
	_cleanup_free_ char *core = strdup(p.core);
	target_open_core_params_deinit(&p);
	if (!core)
		return &error_nomem;
	err = target_create(s, to->client->peer.uid, false, &t);
	if (err)
		return err;
	t->mode = "core";
	t->core = no_cleanup(core);
	return start_target(s, to, t, m);
}

struct error *session_target_launch(struct session *s, const struct reply_to *to, struct message *m)
{
	struct target_launch_params p;
	struct session_target *t = NULL;

	struct error *err = target_launch_params_decode(m->params, &p);
	if (err)
		return err;
	int64_t max_stop_ms = p.max_stop_ms;
	target_launch_params_deinit(&p);
	err = target_create(s, to->client->peer.uid, false, &t);
	if (err)
		return err;
	t->mode = "stop";
	t->max_stop_ms = max_stop_ms;
	t->launcher = client_owner(to->client)->id;
	return start_target(s, to, t, m);
}

struct error *target_errand(struct session *s, const struct reply_to *to, const struct method *method,
			    struct message *m)
{
	struct session_target *t = NULL;

	struct error *err = method->check(m->params);
	if (!err)
		err = target_create(s, to->client->peer.uid, true, &t);
	if (err)
		return err;
	t->mode = "observe";
	return start_target(s, to, t, m);
}
