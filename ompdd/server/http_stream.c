/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GET /events: sends events as they occur, as server-sent events (WHATWG HTML, 9.2). */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/number.h"

#include "server/http_internal.h"

/* GET /events: queue no further events while more than this is queued. */
#define STREAM_MARK (128 * 1024)
/* Send a comment after this time without events, to detect a lost peer. */
#define STREAM_ALIVE_MS 15000

static bool stream_takes_events(void *conn)
{
	const struct http_conn *c = conn;

	return !c->stream_ended && c->answer.len <= STREAM_MARK;
}

static void stream_append(struct http_conn *c, const char *text, size_t len)
{
	struct error *err = buf_append(&c->answer, text, len);

	/* An incomplete event would be worse than the end: after the end the peer connects again. */
	c->stream_ended |= err != NULL;
	error_destroy(err);
}

static void stream_send_event(void *conn, uint64_t cursor, const char *type, const char *params, size_t len)
{
	struct http_conn *c = conn;
	char head[96];

	int n = snprintf(head, sizeof(head), "id: %llu\nevent: %s\ndata: ", (unsigned long long)cursor, type);
	stream_append(c, head, (size_t)n);
	stream_append(c, params, len);
	stream_append(c, "\n\n", 2);
	c->stream_sent_ms = http_now_ms(c);
	http_resume(c);
}

static void stream_send(void *conn, const char *text, size_t len)
{
	(void)conn, (void)text, (void)len; /* it sends no requests */
}

static void stream_finish(void *conn)
{
	(void)conn; /* it has authenticated by its token */
}

static const struct client_ops stream_ops = {
	.send = stream_send,
	.finish = stream_finish,
	.takes_events = stream_takes_events,
	.send_event = stream_send_event,
};

/* MHD callback: copy up to @max more bytes of the stream. */
static ssize_t stream_read(void *cls, uint64_t at, char *out, size_t max)
{
	struct http_conn *c = cls;

	(void)at;
	client_flush_events(c->client);
	if (c->answer.len) {
		size_t n = c->answer.len < max ? c->answer.len : max;

		memcpy(out, buf_head(&c->answer), n);
		buf_consume(&c->answer, n);
		c->server->stats.bytes_out += n;
		return (ssize_t)n;
	}
	if (c->stream_ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	c->suspended = true;
	MHD_suspend_connection(c->mhd);
	return 0;
}

/* GET /events. With Last-Event-ID the stream continues after that event, as far as events are kept. */
enum MHD_Result http_stream_begin(struct http_conn *c, int64_t lease_ms)
{
	const char *last = http_header(c, "Last-Event-ID");
	struct client *client;
	int64_t since = 0;

	bool has_since = last && number_parse(last, 0, INT64_MAX, &since);
	struct error *err = client_create(c->server->session, &stream_ops, c, &c->peer.who, true, &client);
	if (!err) {
		client_destroy(c->client);
		c->client = client;
		err = client_subscribe_all(client, has_since, (uint64_t)since);
	}
	struct MHD_Response *r =
		err ? NULL : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, stream_read, c, NULL);
	error_destroy(err);
	if (!r)
		return MHD_NO;
	const char *session = http_header(c, "Ompdd-Session");
	struct http_conn *before = session ? http_find_session(c, session) : NULL;
	/* The older stream may have lost its peer without notice: the newest stream gets the name. */
	if (before)
		before->session[0] = '\0';
	if (session && strlen(session) <= HTTP_SESSION_MAX)
		snprintf(c->session, sizeof(c->session), "%s", session);
	c->lease_ms = lease_ms;
	c->renewed_ms = http_now_ms(c);
	/* A connection for events serves nothing else, and ends with them. */
	MHD_add_response_header(r, "Connection", "close");
	c->streaming = true;
	c->waiting_since_ms = 0;
	/* MHD sends the header with the first bytes: queue some. */
	stream_append(c, ": events of ompdd\n\n", sizeof(": events of ompdd\n\n") - 1);
	c->stream_sent_ms = http_now_ms(c);
	return http_queue(c, MHD_HTTP_OK, r, "text/event-stream");
}

void http_stream_end(struct http_conn *c)
{
	c->stream_ended = true;
	http_resume(c);
}

void http_stream_break(struct http_conn *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

	http_stream_end(c);
	/* A peer that reads nothing would never see the end. */
	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

/* MHD does not watch a suspended connection: check here whether the peer has left. */
void http_stream_tick(struct http_conn *c, int64_t now)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd p = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};

	if (c->lease_ms && now - c->renewed_ms >= c->lease_ms) {
		/* Release the session's resources: the browser may sleep or be unplugged. */
		http_stream_break(c);
		return;
	}
	if (!c->suspended)
		return;
	if (poll(&p, 1, 0) == 1 && p.revents) {
		http_stream_end(c);
	} else if (now - c->stream_sent_ms >= STREAM_ALIVE_MS) {
		stream_append(c, ":\n\n", 3);
		c->stream_sent_ms = now;
		http_resume(c);
	}
}
