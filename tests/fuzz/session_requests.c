/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The daemon between hostile clients and hostile workers. The input is a list of steps. The contract itself
 * (rpc.discover's document) provides the requests; each parameter is right, at its limits or wrong. Three clients
 * belong to two users and three tiers. Workers answer, lie, report events or die; time goes on; clients leave. Each
 * request with an id gets exactly one answer, which is always JSON.
 */
#include "fuzz.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/audit.h"
#include "base/log.h"
#include "methods.h"
#include "rpc/message_split.h"
#include "rpc/message_text.h"
#include "session/limits.h"
#include "session/session.h"

#define MAX_STEPS   96
#define MAX_WORKERS 128
#define MAX_PENDING 64
#define MAX_DEPTH   4
#define N_CLIENTS   3
#define TIMEOUT_MS  1000
/* Only rpc.discover's answer has this length, and it is always the same. */
#define LARGE 100000

struct input {
	const uint8_t *at, *end;
};

struct fake_worker {
	struct session_target *target; /* NULL: the worker has ended */
	int64_t pending[MAX_PENDING];
	size_t n_pending;
};

struct fake_client {
	struct client *client;
	uint64_t n_asked, n_answered; /* requests with an id, and texts that are not notifications */
	bool finished;
};

static struct json_object *document, *methods, *schemas;
static struct session *session;
static struct fake_worker workers[MAX_WORKERS];
static size_t n_workers;
static struct fake_client clients[N_CLIENTS];
static struct input *current;
static bool had_large;
static int64_t now;

static uint8_t take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Stubs of the functions that the session uses. */

static struct error *worker_start(void *context, struct session_target *target, const char *id, uid_t uid, gid_t gid,
				  void **worker_ret, pid_t *pid_ret)
{
	(void)context, (void)id, (void)uid, (void)gid;
	if (n_workers == MAX_WORKERS)
		return error_create(ERR_WORKER_FAILED, "no more");
	workers[n_workers] = (struct fake_worker){.target = target};
	*worker_ret = &workers[n_workers++];
	*pid_ret = (pid_t)(1000000 + n_workers);
	return NULL;
}

static void worker_send(void *worker, const char *text, size_t len)
{
	struct fake_worker *w = worker;
	struct split_request r;

	FUZZ_ASSERT(w->target);
	if (message_split_request(text, len, &r) && w->n_pending < MAX_PENDING)
		w->pending[w->n_pending++] = r.seq;
}

static void worker_end(void *worker, enum worker_ending how)
{
	(void)how;
	((struct fake_worker *)worker)->target = NULL;
}

static void client_send(void *conn, const char *text, size_t len)
{
	struct fake_client *c = conn;
	struct json_object *value = NULL, *member;

	/* One check of the whole answer is enough. */
	if (had_large && len > LARGE && *text == '{') {
		c->n_answered++;
		return;
	}
	struct error *err = message_text_parse(text, len, NULL, &value);

	FUZZ_ASSERT(!err);
	had_large |= len > LARGE;
	if (json_object_is_type(value, json_type_array))
		c->n_answered += json_object_array_length(value);
	else if (!json_object_object_get_ex(value, "method", &member))
		c->n_answered++;
	json_object_put(value);
}

static void client_finish(void *conn)
{
	((struct fake_client *)conn)->finished = true;
}

static bool client_takes_events(void *conn)
{
	return !((struct fake_client *)conn)->finished;
}

static int64_t now_ms(void *context)
{
	(void)context;
	return now;
}

static void worker_speak(struct fake_worker *w, struct input *in);

static void worker_hear(void *worker)
{
	struct fake_worker *w = worker;

	FUZZ_ASSERT(w->target);
	for (int n = take(current) % 4; n && w->target; n--)
		worker_speak(w, current);
}

static const struct worker_ops worker_ops = {worker_start, worker_send, worker_end, worker_hear};
static const struct client_ops client_ops = {
	.send = client_send, .finish = client_finish, .takes_events = client_takes_events};

static void connect_client(size_t i)
{
	static const enum method_tier tiers[N_CLIENTS] = {TIER_ADMIN, TIER_INSPECT, TIER_OBSERVE};
	const struct session_peer peer = {.uid = i == 2 ? 1001 : 1000, .gid = 1000, .tier = tiers[i]};

	clients[i] = (struct fake_client){0};
	FUZZ_ASSERT(!client_create(session, &client_ops, &clients[i], &peer, true, &clients[i].client));
}

/* Values of parameters. */

static struct json_object *resolve(struct json_object *schema)
{
	struct json_object *ref, *all;

	for (int i = 0; i < 8; i++) {
		if (json_object_object_get_ex(schema, "$ref", &ref)) {
			const char *name = strrchr(json_object_get_string(ref), '/');

			if (!name || !json_object_object_get_ex(schemas, name + 1, &schema))
				return NULL;
		} else if (json_object_object_get_ex(schema, "allOf", &all)) {
			schema = json_object_array_get_idx(all, 0);
		} else {
			break;
		}
	}
	return schema;
}

static struct json_object *wrong(struct input *in)
{
	char text[300];

	switch (take(in) % 8) {
	case 0:
		return NULL;
	case 1:
		return json_object_new_int64(INT64_MIN);
	case 2:
		return json_object_new_uint64(UINT64_MAX);
	case 3:
		return json_object_new_array();
	case 4:
		return json_object_new_object();
	case 5:
		memset(text, 'x', sizeof(text));
		return json_object_new_string_len(text, sizeof(text));
	case 6:
		return json_object_new_boolean(true);
	default:
		return json_object_new_string("\xe2\x80\xae\n\"\\");
	}
}

static int64_t number(struct json_object *schema, const char *key, int64_t otherwise)
{
	struct json_object *value;

	return json_object_object_get_ex(schema, key, &value) ? json_object_get_int64(value) : otherwise;
}

/* A value that the schema allows, or nearly allows. */
static struct json_object *value_of(struct json_object *schema, struct input *in, int depth)
{
	struct json_object *part, *o;
	char text[64];

	schema = depth < MAX_DEPTH ? resolve(schema) : NULL;
	uint8_t how = take(in);
	if (!schema || how >= 240)
		return wrong(in);
	if (json_object_object_get_ex(schema, "enum", &part))
		return json_object_get(json_object_array_get_idx(part, how % json_object_array_length(part)));
	if (json_object_object_get_ex(schema, "anyOf", &part))
		return value_of(json_object_array_get_idx(part, how % json_object_array_length(part)), in, depth + 1);
	const char *type = json_object_object_get_ex(schema, "type", &part) ? json_object_get_string(part) : "";
	if (!strcmp(type, "integer")) {
		int64_t min = number(schema, "minimum", 0), max = number(schema, "maximum", INT64_MAX);

		return json_object_new_int64(how % 4 == 0   ? min
					     : how % 4 == 1 ? max
					     : how % 4 == 2 ? max - (max == INT64_MAX ? 0 : -1)
							    : min + (how >> 2));
	}
	if (!strcmp(type, "boolean"))
		return json_object_new_boolean(how & 1);
	if (!strcmp(type, "array")) {
		o = json_object_new_array();
		if (json_object_object_get_ex(schema, "items", &part)) {
			for (int i = 0; i < how % 5; i++)
				json_object_array_add(o, value_of(part, in, depth + 1));
		}
		return o;
	}
	if (!strcmp(type, "object")) {
		o = json_object_new_object();
		for (int i = 0; i < how % 3; i++) {
			snprintf(text, sizeof(text), "k%d", i);
			json_object_object_add(o, text, json_object_new_string("v"));
		}
		return o;
	}
	snprintf(text, sizeof(text), how % 3 == 0 ? "t%d" : how % 3 == 1 ? "/tmp/%d" : "t%d.1:%d", how % 7 + 1, how);
	return json_object_new_string(text);
}

static struct json_object *make_request(struct input *in, bool *has_id_ret)
{
	uint8_t method = take(in), id = take(in);
	struct json_object *m = json_object_array_get_idx(methods, method % json_object_array_length(methods));
	struct json_object *o = json_object_new_object(), *params = json_object_new_object(), *list, *part, *schema;

	/* Creating rpc.discover's answer takes as long as a hundred other answers: do it seldom. */
	json_object_object_get_ex(m, "name", &part);
	if (!strcmp(json_object_get_string(part), "rpc.discover") && id % 64 != 1)
		m = json_object_array_get_idx(methods, (method + 1) % json_object_array_length(methods));

	json_object_object_add(o, "jsonrpc", json_object_new_string("2.0"));
	*has_id_ret = id % 8 != 0;
	if (*has_id_ret)
		json_object_object_add(o, "id",
				       id & 1 ? json_object_new_int(id) : json_object_new_string("some \"id\""));
	json_object_object_get_ex(m, "name", &part);
	json_object_object_add(o, "method", json_object_get(part));
	json_object_object_get_ex(m, "params", &list);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *param = json_object_array_get_idx(list, i), *required;

		json_object_object_get_ex(param, "name", &part);
		json_object_object_get_ex(param, "schema", &schema);
		json_object_object_get_ex(param, "required", &required);
		uint8_t there = take(in);
		if (json_object_get_boolean(required) ? there < 250 : there >= 128)
			json_object_object_add(params, json_object_get_string(part), value_of(schema, in, 0));
	}
	json_object_object_add(o, "params", params);
	return o;
}

/* Steps. */

static void give(struct fake_client *c, const char *text, size_t len)
{
	bool answered;
	size_t i = (size_t)(c - clients);

	struct error *err = session_receive(c->client, text, len, &answered);
	error_destroy(err);
	if (!err && !c->finished)
		return;
	client_destroy(c->client);
	connect_client(i);
}

static void ask(struct input *in)
{
	struct fake_client *c = &clients[take(in) % N_CLIENTS];
	uint8_t n = take(in) % 16;
	struct json_object *text = NULL, *batch = n > 12 ? json_object_new_array() : NULL;
	bool has_id;

	for (int i = 0; i < (batch ? n - 11 : 1); i++) {
		text = make_request(in, &has_id);
		c->n_asked += has_id;
		if (batch)
			json_object_array_add(batch, text);
	}
	struct json_object *all = batch ? batch : text;
	const char *line = json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN);
	/* Beyond a connection's limit of pending requests, an array gets one answer, not one per element. */
	bool is_exact = !batch;
	if (!is_exact)
		c->n_asked = UINT64_MAX / 2;
	give(c, line, strlen(line));
	json_object_put(all);
}

static struct fake_worker *pick_worker(struct input *in)
{
	struct fake_worker *w = n_workers ? &workers[take(in) % n_workers] : NULL;

	return w && w->target ? w : NULL;
}

static void worker_speak(struct fake_worker *w, struct input *in)
{
	static const char *const payloads[] = {
		"\"result\":{}",
		"\"result\":{\"pid\":4711,\"target\":\"t1\"}",
		"\"error\":{\"code\":1003,\"message\":\"m\",\"data\":{\"name\":\"target_exited\",\"hint\":\"h\"}}",
		"\"error\":{\"code\":1,\"message\":\"m\",\"data\":{\"name\":\"\"}}",
	};
	char line[512];
	uint8_t how = take(in);

	if (how < 200 && w->n_pending) {
		int n = snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",%s}", w->pending[0],
				 payloads[how % 4]);

		memmove(w->pending, w->pending + 1, --w->n_pending * sizeof(w->pending[0]));
		session_worker_message(w->target, line, (size_t)n);
		return;
	}
	static const char *const others[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"type\":\"stopped\",\"reason\":\"request\"}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"type\":\"exited\"}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"type\":7}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"target.pid\",\"params\":{\"pid\":4711}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"stop.ended\",\"params\":{\"us\":-9223372036854775808}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"box.refused\",\"params\":{\"calls\":9223372036854775807}}",
		"{\"jsonrpc\":\"2.0\",\"id\":9223372036854775807,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":",
		"",
	};
	const char *other = others[how % 9];
	session_worker_message(w->target, other, strlen(other));
}

static void answer(struct input *in)
{
	struct fake_worker *w = pick_worker(in);

	if (w)
		worker_speak(w, in);
	else
		take(in);
}

static void die(struct input *in)
{
	struct fake_worker *w = pick_worker(in);
	uint8_t status = take(in);

	if (!w)
		return;
	struct session_target *t = w->target;
	w->target = NULL;
	session_worker_died(t, status & 1 ? status << 8 : status >> 1 & 0x1f);
}

static void raw(struct input *in)
{
	size_t len = take(in);
	char text[256];

	for (size_t i = 0; i < len; i++)
		text[i] = (char)take(in);
	struct fake_client *c = &clients[take(in) % N_CLIENTS];
	c->n_asked = UINT64_MAX / 2; /* whatever it was */
	give(c, text, len);
}

static void step(struct input *in)
{
	uint8_t what = take(in);

	if (what < 130) {
		ask(in);
	} else if (what < 210) {
		answer(in);
	} else if (what < 220) {
		die(in);
	} else if (what < 235) {
		now += take(in) * 8;
		session_tick(session);
	} else if (what < 245) {
		size_t i = take(in) % N_CLIENTS;

		client_destroy(clients[i].client);
		connect_client(i);
	} else {
		raw(in);
	}
}

static void init(void)
{
	struct json_object *components;

	document = json_tokener_parse(openrpc_json);
	FUZZ_ASSERT(document && json_object_object_get_ex(document, "methods", &methods) &&
		    json_object_object_get_ex(document, "components", &components) &&
		    json_object_object_get_ex(components, "schemas", &schemas));
	audit_set(false, NULL);
	log_set_level(LOG_ERROR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct session_options options = {
		.request_timeout_ms = TIMEOUT_MS,
		.workers = &worker_ops,
		.now_ms = now_ms,
	};
	struct input in = {data, data + size};

	if (!methods)
		init();
	n_workers = 0;
	current = &in;
	FUZZ_ASSERT(!session_create(&options, &session));
	for (size_t i = 0; i < N_CLIENTS; i++)
		connect_client(i);
	for (int i = 0; i < MAX_STEPS && in.at < in.end; i++)
		step(&in);
	session_shutdown(session);
	FUZZ_ASSERT(session_count_pending(session) == 0 && session_count_targets(session) == 0);
	for (size_t i = 0; i < N_CLIENTS; i++) {
		FUZZ_ASSERT(client_is_idle(clients[i].client));
		FUZZ_ASSERT(clients[i].n_asked >= UINT64_MAX / 2 || clients[i].n_answered == clients[i].n_asked);
		client_destroy(clients[i].client);
	}
	session_destroy(session);
	return 0;
}
