/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A session between fake workers and fake connections, with a clock that the test sets. */
#include "fake_session.h"

#include <stdio.h>
#include <stdlib.h>

struct session *session;
int64_t fake_now_ms;
struct fake_worker fake_workers[LIMIT_TARGETS + 8];
size_t fake_n_workers;
bool fake_start_fails;
struct fake_conn conn, other;

static void keep(struct fake_texts *t, const char *text, size_t len)
{
	ck_assert_uint_lt(t->n, FAKE_MAX_TEXTS);
	t->items[t->n++] = strndup(text, len);
}

void fake_forget(struct fake_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i]);
	t->n = 0;
}

static struct error *worker_start(void *context, struct session_target *target, const char *id, uid_t uid, gid_t gid,
				  void **worker_ret, pid_t *pid_ret)
{
	(void)context;
	(void)id;
	(void)gid;
	if (fake_start_fails)
		return error_create(ERR_WORKER_FAILED, "no such program");
	ck_assert_uint_lt(fake_n_workers, sizeof(fake_workers) / sizeof(fake_workers[0]));
	struct fake_worker *w = &fake_workers[fake_n_workers++];
	*w = (struct fake_worker){.target = target, .uid = uid};
	*worker_ret = w;
	*pid_ret = (pid_t)(1000000 + fake_n_workers);
	return NULL;
}

static void worker_send(void *worker, const char *text, size_t len)
{
	struct fake_worker *w = worker;

	ck_assert(!w->ended);
	keep(&w->got, text, len);
}

static void worker_end(void *worker, enum worker_ending how)
{
	struct fake_worker *w = worker;

	ck_assert(!w->ended);
	w->ended = true;
	w->ending = how;
}

static const struct worker_ops worker_ops = {.start = worker_start, .send = worker_send, .end = worker_end};

static void client_send(void *context, const char *text, size_t len)
{
	struct fake_conn *c = context;

	keep(&c->got, text, len);
}

static size_t client_queued(void *context)
{
	return LIMIT_OUTPUT - ((struct fake_conn *)context)->room;
}

static void client_finish(void *context)
{
	((struct fake_conn *)context)->finished = true;
}

static bool client_takes_events(void *context)
{
	return !((struct fake_conn *)context)->full;
}

static const struct client_ops client_ops = {
	.send = client_send, .queued = client_queued, .finish = client_finish, .takes_events = client_takes_events};

static int64_t now_ms(void *context)
{
	(void)context;
	return fake_now_ms;
}

void fake_setup(void)
{
	struct session_options options = {
		.request_timeout_ms = FAKE_TIMEOUT_MS,
		.token = FAKE_TOKEN,
		.workers = &worker_ops,
		.now_ms = now_ms,
	};

	fake_now_ms = 5000;
	fake_n_workers = 0;
	fake_start_fails = false;
	ck_assert_no_err(session_create(&options, &session));
	other = (struct fake_conn){0};
	fake_connect(&conn, 1000, true);
}

void fake_setup_two(void)
{
	fake_setup();
	fake_connect(&other, 1000, true);
}

void fake_teardown(void)
{
	fake_disconnect(&conn);
	if (other.client)
		fake_disconnect(&other);
	session_destroy(session);
	for (size_t i = 0; i < fake_n_workers; i++)
		fake_forget(&fake_workers[i].got);
}

void fake_connect(struct fake_conn *c, uid_t uid, bool authenticated)
{
	*c = (struct fake_conn){.room = 1 << 20};
	const struct session_peer peer = {.uid = uid, .gid = uid, .tier = TIER_ADMIN};

	ck_assert_no_err(client_create(session, &client_ops, c, &peer, authenticated, &c->client));
}

void fake_disconnect(struct fake_conn *c)
{
	client_destroy(c->client);
	fake_forget(&c->got);
}

bool fake_send(struct fake_conn *c, const char *text)
{
	bool answered = false;

	ck_assert_no_err(session_receive(c->client, text, strlen(text), &answered));
	return answered;
}

void fake_request(struct fake_conn *c, int id, const char *method, const char *target)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s%s%s}}", id,
		 method, target ? "\"target\":\"" : "", target ? target : "", target ? "\"" : "");
	ck_assert(fake_send(c, text));
}

void fake_event(struct fake_worker *w, const char *params)
{
	char text[512];
	int len = snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":%s}", params);

	session_worker_message(w->target, text, (size_t)len);
}

void fake_request_attach(struct fake_conn *c, int id)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"target.attach\",\"params\":{\"pid\":"
		 "4711,\"mode\":\"observe\"}}",
		 id);
	fake_send(c, text);
}

struct fake_worker *fake_attach(struct fake_conn *c)
{
	ck_assert(fake_send(c, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"target.attach\","
			       "\"params\":{\"pid\":4711}}"));
	struct fake_worker *w = &fake_workers[fake_n_workers - 1];
	fake_answer(w, 0);
	fake_expect(c, "\"id\":0,\"result\"", NULL);
	return w;
}

void fake_answer_with(struct fake_worker *w, size_t i, const char *payload)
{
	char text[LIMIT_OUTPUT_SMALL + 1024];
	long long seq = 0;

	ck_assert_uint_lt(i, w->got.n);
	const char *id = strstr(w->got.items[i], "\"id\":");
	ck_assert_ptr_nonnull(id);
	ck_assert_int_eq(sscanf(id, "\"id\":%lld", &seq), 1);
	int len = snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}", seq, payload);
	session_worker_message(w->target, text, (size_t)len);
}

void fake_answer(struct fake_worker *w, size_t i)
{
	char payload[64];

	snprintf(payload, sizeof(payload), "\"result\":{\"n\":%zu}", i);
	fake_answer_with(w, i, payload);
}

void fake_expect(struct fake_conn *c, const char *part, const char *part2)
{
	ck_assert_msg(c->got.n == 1, "%zu answers instead of one", c->got.n);
	ck_assert_msg(strstr(c->got.items[0], part), "no %s in %s", part, c->got.items[0]);
	ck_assert_msg(!part2 || strstr(c->got.items[0], part2), "no %s in %s", part2, c->got.items[0]);
	fake_forget(&c->got);
}
