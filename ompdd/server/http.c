/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * HTTP through libmicrohttpd, which gets accepted sockets and is run from our loop when its
 * epoll fd is ready. A connection is suspended while its request is with a worker.
 */
#include "server/http.h"

#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "methods.h"
#include "server/address.h"
#include "server/http_guard.h"
#include "server/internal.h"
#include "server/metrics.h"

/*
 * Larger bodies than this are not even thrown away: the answer comes, and the connection closes,
 * before they do.
 */
#define DISCARD_MAX (16 * 1024 * 1024)
/* GET /events: with more than this queued, no further events are. */
#define STREAM_MARK (128 * 1024)
/* A comment goes out after so long without events, so that the loss of a peer is noticed. */
#define STREAM_ALIVE_MS 15000

struct http {
	struct server *server;
	struct MHD_Daemon *daemon;
	uv_poll_t poll;
	uv_timer_t timer;
	struct list conns;
	struct http_conn *adopting; /* while MHD_add_connection() runs */
	bool closing;
	int n_handles;
};

struct http_conn {
	struct list link;
	struct server *server;
	struct MHD_Connection *mhd;
	struct client *client;
	struct conn_peer peer;
	struct address bound; /* of the listener */
	bool suspended;
	bool answered; /* answer holds the response of the request under way */
	struct buf answer;
	int64_t waiting_since_ms; /* for the end of a request; 0: it is here */
	bool streaming;		  /* GET /events: answer is what is not sent yet */
	bool stream_ended;
	int64_t stream_sent_ms; /* when something was last put into it */
};

/* One request; MHD keeps the pointer for us. */
struct http_request {
	struct buf body;
	size_t received;
	bool too_long;
};

static void http_run(struct http *h);
static void on_timer(uv_timer_t *timer);

static int64_t now_ms(const struct server *s)
{
	return (int64_t)uv_now(&s->loop);
}

static void resume(struct http_conn *c)
{
	if (!c->suspended)
		return;
	c->suspended = false;
	MHD_resume_connection(c->mhd);
	/* Without a listening socket, MHD 0.9.75 does not watch its own wake-up fd. */
	if (!c->server->http->closing)
		uv_timer_start(&c->server->http->timer, on_timer, 0, 0);
}

static bool client_send(void *conn, const char *text, size_t len)
{
	struct http_conn *c = conn;

	if (len > LIMIT_OUTPUT)
		return false;
	/* One answer per request; a client that was closed meanwhile gets none. */
	buf_consume(&c->answer, c->answer.len);
	struct error *err = buf_append(&c->answer, text, len);
	if (!err)
		err = buf_append(&c->answer, "\n", 1);
	error_destroy(err);
	c->answered = true;
	resume(c);
	return true;
}

static void client_finish(void *conn)
{
	(void)conn; /* every request shows its token */
}

static const struct client_ops client_ops = {.send = client_send, .finish = client_finish};

static const char *header(struct MHD_Connection *mhd, const char *name)
{
	return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

static const char *allowed_origin(struct http_conn *c)
{
	const struct server_options *o = c->server->options;
	const char *origin = header(c->mhd, "Origin");

	return origin && http_guard_origin(origin, o->allow_origins, o->n_allow_origins) ? origin
											 : NULL;
}

/* Queue @response and let go of it. */
static enum MHD_Result queue(struct http_conn *c, unsigned int status,
			     struct MHD_Response *response, const char *type)
{
	if (!response)
		return MHD_NO;
	if (type)
		MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Cache-Control", "no-store");
	const char *origin = allowed_origin(c);
	if (origin) {
		MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
		MHD_add_response_header(response, "Vary", "Origin");
	}
	enum MHD_Result result = MHD_queue_response(c->mhd, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result queue_text(struct http_conn *c, unsigned int status, const char *text)
{
	struct MHD_Response *r =
	    MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);

	if (r && status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer realm=\"ompdd\"");
	return queue(c, status, r, "text/plain; charset=utf-8");
}

static enum MHD_Result queue_not_allowed(struct http_conn *c, const char *methods)
{
	static const char text[] = "this path does not take that method\n";
	struct MHD_Response *r =
	    MHD_create_response_from_buffer(sizeof(text) - 1, (void *)text, MHD_RESPMEM_PERSISTENT);

	if (r)
		MHD_add_response_header(r, "Allow", methods);
	return queue(c, MHD_HTTP_METHOD_NOT_ALLOWED, r, "text/plain; charset=utf-8");
}

/* Queue what is in c->answer, whose memory goes to MHD. */
static enum MHD_Result queue_answer(struct http_conn *c)
{
	struct buf *b = &c->answer;

	c->answered = false;
	if (b->start)
		memmove(b->data, b->data + b->start, b->len);
	c->server->stats.bytes_out += b->len;
	struct MHD_Response *r =
	    b->len ? MHD_create_response_from_buffer(b->len, b->data, MHD_RESPMEM_MUST_FREE) : NULL;
	if (r)
		*b = (struct buf){0};
	return queue(c, MHD_HTTP_OK, r, "application/json");
}

static bool stream_takes_events(void *conn)
{
	const struct http_conn *c = conn;

	return !c->stream_ended && c->answer.len <= STREAM_MARK;
}

static void stream_append(struct http_conn *c, const char *text, size_t len)
{
	struct error *err = buf_append(&c->answer, text, len);

	/* Half an event would be worse than the end, after which the peer asks again. */
	c->stream_ended |= err != NULL;
	error_destroy(err);
}

static void stream_send_event(void *conn, uint64_t cursor, const char *type, const char *params,
			      size_t len)
{
	struct http_conn *c = conn;
	char head[96];

	int n = snprintf(head, sizeof(head), "id: %llu\nevent: %s\ndata: ",
			 (unsigned long long)cursor, type);
	stream_append(c, head, (size_t)n);
	stream_append(c, params, len);
	stream_append(c, "\n\n", 2);
	c->stream_sent_ms = now_ms(c->server);
	resume(c);
}

static bool stream_send(void *conn, const char *text, size_t len)
{
	(void)conn, (void)text, (void)len;
	return true; /* it asks for nothing that is answered */
}

static const struct client_ops stream_ops = {
    .send = stream_send,
    .finish = client_finish,
    .takes_events = stream_takes_events,
    .send_event = stream_send_event,
};

/* MHD wants up to @max bytes more of the stream. */
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

/* GET /events. With Last-Event-ID it goes on behind that event, as far as they are kept. */
static enum MHD_Result answer_events(struct http_conn *c)
{
	const char *last = header(c->mhd, "Last-Event-ID");
	struct client *client;
	char *end = NULL;

	uint64_t since = last ? strtoull(last, &end, 10) : 0;
	bool has_since = last && end != last && *end == '\0';
	struct error *err = client_create(c->server->session, &stream_ops, c, c->peer.uid,
					  c->peer.gid, true, &client);
	if (!err) {
		client_destroy(c->client);
		c->client = client;
		err = client_subscribe_all(client, has_since, since);
	}
	struct MHD_Response *r =
	    err ? NULL : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, stream_read, c, NULL);
	error_destroy(err);
	if (!r)
		return MHD_NO;
	/* After it the connection ends: its client is one for events only. */
	MHD_add_response_header(r, "Connection", "close");
	c->streaming = true;
	c->waiting_since_ms = 0;
	/* The header goes out with the first bytes: let there be some. */
	stream_append(c, ": events of ompdd\n\n", sizeof(": events of ompdd\n\n") - 1);
	c->stream_sent_ms = now_ms(c->server);
	return queue(c, MHD_HTTP_OK, r, "text/event-stream");
}

static void stream_end(struct http_conn *c)
{
	c->stream_ended = true;
	resume(c);
}

/* A suspended connection is not watched by MHD: whether the peer has left is for us to see. */
static void stream_tick(struct http_conn *c, int64_t now)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd p = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};

	if (!c->suspended)
		return;
	if (poll(&p, 1, 0) == 1 && p.revents) {
		stream_end(c);
	} else if (now - c->stream_sent_ms >= STREAM_ALIVE_MS) {
		stream_append(c, ":\n\n", 3);
		c->stream_sent_ms = now;
		resume(c);
	}
}

/* The answer to a browser that asks before it sends; it has no token yet. */
static enum MHD_Result queue_preflight(struct http_conn *c)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

	if (r) {
		MHD_add_response_header(r, "Access-Control-Allow-Methods", "GET, POST");
		MHD_add_response_header(r, "Access-Control-Allow-Headers",
					"authorization, content-type");
		MHD_add_response_header(r, "Access-Control-Max-Age", "600");
	}
	return queue(c, MHD_HTTP_NO_CONTENT, r, NULL);
}

static bool has_token(struct http_conn *c)
{
	if (c->peer.authenticated)
		return true;
	const char *token = http_guard_bearer(header(c->mhd, "Authorization"));
	return token && session_token_matches(c->server->session, token, strlen(token));
}

/* Refuse what a browser was talked into, before anything is looked at. 0: it may go on. */
static unsigned int guard(struct http_conn *c, const char **text_ret)
{
	const char *site = header(c->mhd, "Sec-Fetch-Site");

	if (!http_guard_host(header(c->mhd, "Host"), &c->bound)) {
		*text_ret = "the Host header does not name this server by its address\n";
		return MHD_HTTP_FORBIDDEN;
	}
	if (header(c->mhd, "Origin") && !allowed_origin(c)) {
		*text_ret =
		    "requests of this origin are refused; ompdd --allow-origin would allow it\n";
		return MHD_HTTP_FORBIDDEN;
	}
	if (site && !strcasecmp(site, "cross-site") && !allowed_origin(c)) {
		*text_ret = "cross-site requests are refused\n";
		return MHD_HTTP_FORBIDDEN;
	}
	return 0;
}

static enum MHD_Result answer_get(struct http_conn *c, const char *path)
{
	if (!strcmp(path, "/openrpc.json")) {
		return queue(c, MHD_HTTP_OK,
			     MHD_create_response_from_buffer(openrpc_json_len, (void *)openrpc_json,
							     MHD_RESPMEM_PERSISTENT),
			     "application/json");
	}
	struct buf text = {0};
	struct error *err = metrics_write(c->server, &text);
	if (err) {
		error_destroy(err);
		buf_deinit(&text);
		return MHD_NO;
	}
	return queue(c, MHD_HTTP_OK,
		     MHD_create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_FREE),
		     "text/plain; version=0.0.4");
}

static void answer_too_long(struct http_conn *c)
{
	struct error *err =
	    error_create(ERR_LIMIT_EXCEEDED, "a message is longer than %d bytes", LIMIT_MESSAGE);

	client_send_error(c->client, error_detail(err, "limit", "message"));
	error_destroy(err);
}

/*
 * The header is here. Returns MHD_YES with *@ret set when the body is wanted, else a response is
 * queued.
 */
static enum MHD_Result begin(struct http_conn *c, const char *path, const char *method,
			     struct http_request **ret)
{
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	const char *text;

	unsigned int refused = guard(c, &text);
	if (refused)
		return queue_text(c, refused, text);
	if (!strcmp(method, "OPTIONS") && allowed_origin(c))
		return queue_preflight(c);
	if (!strcmp(path, "/healthz"))
		return get ? queue_text(c, MHD_HTTP_OK, "") : queue_not_allowed(c, "GET, HEAD");
	if (!has_token(c))
		return queue_text(c, MHD_HTTP_UNAUTHORIZED,
				  "send the header Authorization: Bearer TOKEN, with the token of "
				  "ompdd's --token-file\n");
	if (!strcmp(path, "/openrpc.json") || !strcmp(path, "/metrics"))
		return get ? answer_get(c, path) : queue_not_allowed(c, "GET, HEAD");
	if (!strcmp(path, "/events"))
		return !strcmp(method, "GET") ? answer_events(c) : queue_not_allowed(c, "GET");
	if (strcmp(path, "/rpc"))
		return queue_text(
		    c, MHD_HTTP_NOT_FOUND,
		    "there are POST /rpc, GET /events, /openrpc.json, /metrics and /healthz\n");
	if (strcmp(method, "POST"))
		return queue_not_allowed(c, "POST");
	if (!http_guard_is_json(header(c->mhd, "Content-Type")))
		return queue_text(c, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
				  "the Content-Type must be application/json\n");
	const char *length = header(c->mhd, "Content-Length");
	if (length && strtoull(length, NULL, 10) > DISCARD_MAX) {
		answer_too_long(c);
		return queue_answer(c);
	}
	struct http_request *r = calloc(1, sizeof(*r));
	if (!r)
		return MHD_NO;
	*ret = r;
	return MHD_YES;
}

static enum MHD_Result take_body(struct http_request *r, const char *data, size_t *len)
{
	size_t n = *len;

	*len = 0;
	r->received += n;
	if (r->received > DISCARD_MAX)
		return MHD_NO;
	if (r->received > LIMIT_MESSAGE) {
		r->too_long = true;
		buf_deinit(&r->body);
		return MHD_YES;
	}
	struct error *err = buf_append(&r->body, data, n);
	error_destroy(err);
	return err ? MHD_NO : MHD_YES;
}

/* The body is here: let the session answer, now or later. */
static enum MHD_Result finish(struct http_conn *c, struct http_request *r)
{
	bool expected = true;

	c->waiting_since_ms = 0;
	c->server->stats.bytes_in += r->received;
	if (r->too_long) {
		answer_too_long(c);
	} else {
		/* A parse error costs this request only: HTTP knows where the next begins. */
		error_destroy(session_receive(c->client, r->body.len ? buf_head(&r->body) : "",
					      r->body.len, &expected));
	}
	buf_deinit(&r->body);
	if (c->answered)
		return queue_answer(c);
	if (!expected)
		return queue(c, MHD_HTTP_NO_CONTENT,
			     MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT),
			     NULL);
	c->suspended = true;
	MHD_suspend_connection(c->mhd);
	return MHD_YES;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
				  const char *method, const char *version, const char *upload_data,
				  size_t *upload_len, void **request)
{
	struct http_request *r = *request;

	(void)cls;
	(void)version;
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_conn *c = info ? info->socket_context : NULL;
	if (!c)
		return MHD_NO;
	if (!r)
		return begin(c, url, method, (struct http_request **)request);
	if (*upload_len)
		return take_body(r, upload_data, upload_len);
	if (c->answered)
		return queue_answer(c); /* resumed */
	return finish(c, r);
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **request,
			 enum MHD_RequestTerminationCode how)
{
	struct http_request *r = *request;

	(void)cls;
	(void)how;
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_conn *c = info ? info->socket_context : NULL;
	if (c)
		c->waiting_since_ms = now_ms(c->server);
	if (r)
		buf_deinit(&r->body);
	free(r);
	*request = NULL;
}

static void http_conn_destroy(struct http_conn *c)
{
	struct server *s = c->server;

	list_remove(&c->link);
	client_destroy(c->client);
	buf_deinit(&c->answer);
	free(c);
	server_connection_closed(s);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *h = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = h->adopting;
		if (h->adopting)
			h->adopting->mhd = mhd;
		h->adopting = NULL;
		return;
	}
	if (*context)
		http_conn_destroy(*context);
	*context = NULL;
}

static void on_timer(uv_timer_t *timer)
{
	http_run(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	http_run(poll->data);
}

static void http_run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	MHD_run(h->daemon);
	if (h->closing)
		return;
	if (MHD_get_timeout(h->daemon, &timeout) == MHD_YES)
		uv_timer_start(&h->timer, on_timer, timeout, 0);
	else
		uv_timer_stop(&h->timer);
}

static struct error *http_create(struct server *s, struct http **ret)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return &error_nomem;
	h->server = s;
	list_init(&h->conns);
	h->daemon = MHD_start_daemon(
	    MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
	    on_request, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_CONNECTION_TIMEOUT,
	    (unsigned int)(LIMIT_MESSAGE_MS / 1000), MHD_OPTION_CONNECTION_LIMIT,
	    (unsigned int)(LIMIT_CONNECTIONS + 1), MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
	    h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info || info->epoll_fd < 0 || uv_poll_init(&s->loop, &h->poll, info->epoll_fd)) {
		if (h->daemon)
			MHD_stop_daemon(h->daemon);
		free(h);
		return error_create(ERR_INTERNAL_ERROR, "libmicrohttpd does not start");
	}
	uv_timer_init(&s->loop, &h->timer);
	h->poll.data = h->timer.data = h;
	uv_poll_start(&h->poll, UV_READABLE, on_poll);
	*ret = h;
	return NULL;
}

void http_adopt(struct server *s, int fd, const struct conn_peer *peer)
{
	struct sockaddr_storage address = {.ss_family = AF_INET};
	struct error *err = NULL;

	server_connection_opened(s);
	if (!s->http)
		err = http_create(s, &s->http);
	struct http_conn *c = err ? NULL : calloc(1, sizeof(*c));
	if (c) {
		c->server = s;
		c->peer = *peer;
		c->bound = *peer->listener;
		c->waiting_since_ms = now_ms(s);
		list_init(&c->link);
		err = client_create(s->session, &client_ops, c, peer->uid, peer->gid, true,
				    &c->client);
	}
	if (err || !c) {
		log_err(LOG_ERROR, err ? err : &error_nomem, "HTTP");
		error_destroy(err);
		free(c);
		close(fd);
		server_connection_closed(s);
		return;
	}
	list_append(&s->http->conns, &c->link);
	server_arm(s);
	s->http->adopting = c;
	/* The address only serves MHD's log; a unix peer has none that it would take. */
	bool added = MHD_add_connection(s->http->daemon, fd, (struct sockaddr *)&address,
					sizeof(struct sockaddr_in)) == MHD_YES;
	if (!added) {
		/* MHD has closed the socket, and may have said so already. */
		log_error("HTTP: libmicrohttpd does not take the connection");
		s->http->adopting = NULL;
		list_for_each (it, tmp, &s->http->conns) {
			if (it == &c->link)
				http_conn_destroy(c);
		}
		return;
	}
	http_run(s->http);
}

bool http_tick(struct server *s, int64_t now)
{
	if (!s->http)
		return false;
	list_for_each (it, tmp, &s->http->conns) {
		struct http_conn *c = list_entry(it, struct http_conn, link);

		if (c->streaming) {
			stream_tick(c, now);
			continue;
		}
		/* MHD's own timeout starts anew with each byte. */
		if (!c->waiting_since_ms || now - c->waiting_since_ms < LIMIT_MESSAGE_MS)
			continue;
		const union MHD_ConnectionInfo *info =
		    MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
		if (info)
			shutdown(info->connect_fd, SHUT_RDWR);
	}
	return !list_is_empty(&s->http->conns);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct http *h = handle->data;
	struct server *s = h->server;

	if (--h->n_handles)
		return;
	/* Let the last answers out, as far as the sockets take them; then close what is left. */
	for (int i = 0; i < 4; i++)
		MHD_run(h->daemon);
	MHD_stop_daemon(h->daemon);
	s->http = NULL;
	free(h);
	server_check_done(s);
}

void http_close(struct server *s)
{
	struct http *h = s->http;

	if (!h || h->closing)
		return;
	h->closing = true;
	list_for_each (it, tmp, &h->conns) {
		if (list_entry(it, struct http_conn, link)->streaming)
			stream_end(list_entry(it, struct http_conn, link));
	}
	/* The rest later: this may be called from within MHD_run(). */
	h->n_handles = 2;
	uv_close((uv_handle_t *)&h->poll, on_handle_closed);
	uv_close((uv_handle_t *)&h->timer, on_handle_closed);
}
