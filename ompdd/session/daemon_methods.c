/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The methods that the daemon answers without a worker; called through methods_daemon[]. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/contract.h"
#include "methods_daemon.h"
#include "session/json.h"
#include "session/target_table.h"

static struct error *add_int(struct json_object *object, const char *key, int64_t value)
{
	return json_add(object, key, json_object_new_int64(value));
}

static struct error *limits_to_json(const struct session *s, struct json_object **ret)
{
	const struct {
		const char *key;
		int64_t value;
	} limits[] = {
		{"max_message_bytes", LIMIT_MESSAGE},
		{"max_depth", LIMIT_DEPTH},
		{"max_batch", LIMIT_BATCH},
		{"max_connections", LIMIT_CONNECTIONS},
		{"max_in_flight", LIMIT_IN_FLIGHT},
		{"max_queued_bytes", LIMIT_OUTPUT},
		{"max_targets", LIMIT_TARGETS},
		{"max_user_connections", (int64_t)s->options.quota.connections},
		{"max_user_targets", (int64_t)s->options.quota.targets},
		{"max_handles", CONTRACT_MAX_HANDLES},
		{"max_events", LIMIT_EVENTS},
		{"max_subscriptions", LIMIT_SUBSCRIPTIONS},
		{"request_timeout_ms", s->options.request_timeout_ms},
	};
	_cleanup_json_ struct json_object *o = json_object_new_object();
	struct error *err = o ? NULL : &error_nomem;

	for (size_t i = 0; !err && i < sizeof(limits) / sizeof(limits[0]); i++)
		err = add_int(o, limits[i].key, limits[i].value);
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

static struct error *listeners_to_json(const struct session *s, struct json_object **ret)
{
	_cleanup_json_ struct json_object *a = json_object_new_array();

	if (!a)
		return &error_nomem;
	for (size_t i = 0; i < s->n_listeners; i++) {
		struct json_object *uri = json_object_new_string(s->listeners[i]);

		if (!uri)
			return &error_nomem;
		if (json_object_array_add(a, uri)) {
			json_object_put(uri);
			return &error_nomem;
		}
	}
	*ret = no_cleanup(a);
	return NULL;
}

/* Describe the sandbox of the workers, and its parts that this machine lacks. */
static struct error *sandbox_to_json(const struct session *s, struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();
	_cleanup_json_ struct json_object *gaps = json_object_new_array();
	bool sanitized = confine_is_sanitized(), seccomp = !sanitized && confine_has_seccomp();
	int landlock = sanitized ? 0 : confine_landlock_abi();
	const char *const sentences[] = {
		sanitized ? "built with a sanitizer, which traces its own process to find leaks: workers have no "
			    "sandbox"
			  : NULL,
		!sanitized && !seccomp ? "no seccomp filters (Linux 4.14 with CONFIG_SECCOMP_FILTER): a worker may ask "
					 "anything of the kernel"
				       : NULL,
		!sanitized && !landlock ? "no landlock (Linux 5.13, in the list lsm=): cores are read without it"
					: NULL,
	};

	if (!o || !gaps)
		return &error_nomem;
	struct error *err = json_add(o, "seccomp", json_object_new_boolean(seccomp));
	if (!err)
		err = add_int(o, "landlock", landlock);
	if (!err)
		err = add_int(o, "refused_calls", (int64_t)s->stats.calls_refused);
	for (size_t i = 0; !err && i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		struct json_object *text = sentences[i] ? json_object_new_string(sentences[i]) : NULL;

		if (text && json_object_array_add(gaps, text)) {
			json_object_put(text);
			return &error_nomem;
		}
	}
	if (!err)
		err = json_add(o, "gaps", no_cleanup(gaps));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

static int64_t count_clients(const struct session *s)
{
	int64_t n = 0;

	list_for_each (it, tmp, &s->clients)
		n++;
	return n;
}

static int64_t count_visible(const struct session *s)
{
	int64_t n = 0;

	for (size_t i = 0; i < LIMIT_TARGETS; i++)
		n += s->targets[i] && target_is_visible(s->targets[i], s->current);
	return n;
}

struct error *handle_daemon_info(struct session *s, const struct daemon_info_params *p, struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();
	struct json_object *part = NULL;

	(void)p;
	if (!o)
		return &error_nomem;
	char uptime[32];
	double up_s = (double)(session_now_ms(s) - s->started_ms) / 1000;
	snprintf(uptime, sizeof(uptime), "%.3f", up_s);
	struct error *err = json_add(o, "version", json_object_new_string(OMPDD_VERSION));
	if (!err)
		err = json_add(o, "api", json_object_new_string(PROTOCOL_API_VERSION));
	if (!err)
		err = json_add(o, "processor", json_object_new_string(OMPDD_PROCESSOR));
	if (!err)
		err = add_int(o, "pid", getpid());
	if (!err)
		err = json_add(o, "uptime_s", json_object_new_double_s(up_s, uptime));
	if (!err)
		err = listeners_to_json(s, &part);
	if (!err)
		err = json_add(o, "listeners", part);
	if (!err)
		err = limits_to_json(s, &part);
	if (!err)
		err = json_add(o, "limits", part);
	if (!err)
		err = sandbox_to_json(s, &part);
	if (!err)
		err = json_add(o, "box", part);
	if (!err)
		err = json_add(o, "tier", json_object_new_string(tier_name(s->current->peer.tier)));
	if (!err)
		err = add_int(o, "connections", count_clients(s));
	if (!err)
		err = add_int(o, "targets", count_visible(s));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

static struct error *target_to_json(const struct session_target *t, struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();

	if (!o)
		return &error_nomem;
	struct error *err = json_add(o, "target", json_object_new_string(t->id));
	if (!err && t->pid)
		err = add_int(o, "pid", t->pid);
	if (!err && t->core)
		err = json_add(o, "core", json_object_new_string(t->core));
	if (!err)
		err = json_add(o, "mode", json_object_new_string(t->mode));
	if (!err && t->max_stop_ms)
		err = add_int(o, "max_stop_ms", t->max_stop_ms);
	if (!err)
		err = json_add(o, "state",
			       json_object_new_string(!t->attached ? "attaching"
						      : t->exited  ? "exited"
								   : "attached"));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

struct error *handle_target_list(struct session *s, const struct target_list_params *p, struct json_object **ret)
{
	_cleanup_json_ struct json_object *o = json_object_new_object();
	_cleanup_json_ struct json_object *a = json_object_new_array();

	(void)p;
	if (!o || !a)
		return &error_nomem;
	for (size_t i = 0; i < LIMIT_TARGETS; i++) {
		struct json_object *item;

		if (!s->targets[i] || !target_is_visible(s->targets[i], s->current))
			continue;
		struct error *err = target_to_json(s->targets[i], &item);
		if (err)
			return err;
		if (json_object_array_add(a, item)) {
			json_object_put(item);
			return &error_nomem;
		}
	}
	struct error *err = json_add(o, "targets", no_cleanup(a));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}

static struct request *find_request(struct client *c, struct json_object *id)
{
	list_for_each (it, tmp, &c->requests) {
		struct request *r = list_entry(it, struct request, client_link);

		if (r->id && json_object_equal(r->id, id))
			return r;
	}
	return NULL;
}

struct error *handle_request_cancel(struct session *s, const struct request_cancel_params *p, struct json_object **ret)
{
	struct request *found = find_request(s->current, p->id);

	/* If the launch is already answered, its program belongs to the client: deliver that answer first. */
	if (found && target_hear_launch(found))
		found = find_request(s->current, p->id);
	if (!found)
		return error_create(ERR_NO_SUCH_REQUEST, "this connection has no waiting request %s",
				    json_object_to_json_string(p->id));
	_cleanup_json_ struct json_object *o = json_object_new_object();
	if (!o)
		return &error_nomem;
	struct error *err = json_add(o, "id", json_object_get(p->id));
	if (err)
		return err;
	target_cancel(found);
	*ret = no_cleanup(o);
	return NULL;
}

bool session_token_matches(const struct session *s, const char *token, size_t len)
{
	const char *expected = s->options.token;
	volatile unsigned char difference = 0;

	if (!expected || strlen(expected) != len)
		return false;
	/* Compare all bytes, so that the time does not reveal how many of them match. */
	for (size_t i = 0; i < len; i++)
		difference |= (unsigned char)(expected[i] ^ token[i]);
	return difference == 0;
}

static struct error *check_authentication(const struct session *s, const struct rpc_authenticate_params *p)
{
	if (p->token && p->munge)
		return error_create(ERR_UNAUTHORIZED, "send either a token or a credential, not both");
	if (p->munge && s->options.challenge)
		return s->current->ops->check_credential(s->current->conn, p->munge);
	if (p->munge)
		return error_hint(error_create(ERR_UNAUTHORIZED, "this ompdd does not accept MUNGE credentials"),
				  "start it with --auth munge, or send the token that it wrote to its --token-file");
	return p->token && session_token_matches(s, p->token, strlen(p->token))
		       ? NULL
		       : error_create(ERR_UNAUTHORIZED, "the token is %s", p->token ? "wrong" : "missing");
}

struct error *handle_rpc_authenticate(struct session *s, const struct rpc_authenticate_params *p,
				      struct json_object **ret)
{
	bool asks = !p->token && !p->munge && s->options.challenge;
	struct error *err = asks || s->current->authenticated ? NULL : check_authentication(s, p);

	if (err)
		return err;
	_cleanup_json_ struct json_object *o = json_object_new_object();
	if (!o)
		return &error_nomem;
	s->current->authenticated |= !asks;
	s->current->challenged |= asks;
	err = json_add(o, "authenticated", json_object_new_boolean(s->current->authenticated));
	if (!err && asks)
		err = json_add(o, "challenge", json_object_new_string(s->options.challenge));
	if (err)
		return err;
	*ret = no_cleanup(o);
	return NULL;
}
