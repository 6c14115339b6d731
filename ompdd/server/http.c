/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * HTTP through libmicrohttpd. It receives accepted sockets, and our loop runs it when its epoll fd is ready.
 * http_request.c and http_stream.c answer the requests.
 */
#include "server/http.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http_internal.h"
#include "server/tls.h"

#define N_HALVES 2
/* The age of an incomplete request at which we check whether its rest can still arrive. */
#define HALF_MS 500
/* The delay before the next call if MHD wants to be called again at once. */
#define BUSY_MS 1

/* As strict as libmicrohttpd can be; http_strict.c checks the rest. */
#if HTTP_HAS_DISCIPLINE
#define HTTP_DISCIPLINE MHD_OPTION_CLIENT_DISCIPLINE_LVL, (int)3
#else
#define HTTP_DISCIPLINE MHD_OPTION_STRICT_FOR_CLIENT, (int)1
#endif

/* One instance of libmicrohttpd: it speaks either TLS or plain HTTP. */
struct half {
	struct MHD_Daemon *daemon; /* NULL: not started */
	uv_poll_t poll;
};

struct http {
	struct server *server;
	struct half halves[N_HALVES]; /* plain, and over TLS if a listener uses it */
	uv_timer_t timer;
	struct list conns;
	struct http_conn *adopting; /* while MHD_add_connection() runs */
	bool closing;
	bool resumed; /* a connection was resumed since MHD_run() started */
	bool on_time; /* the timer has fired */
	int n_handles;
};

static void http_run(struct http *h);
static void on_timer(uv_timer_t *timer);

void http_resume(struct http_conn *c)
{
	if (!c->suspended)
		return;
	c->suspended = false;
	MHD_resume_connection(c->mhd);
	c->server->http->resumed = true;
	/* Without a listening socket, MHD 0.9.75 does not watch its own wake-up fd. */
	if (!c->server->http->closing)
		uv_timer_start(&c->server->http->timer, on_timer, 0, 0);
}

struct http_conn *http_find_session(const struct http_conn *c, const char *name)
{
	list_for_each (it, tmp, &c->server->http->conns) {
		struct http_conn *other = list_entry(it, struct http_conn, link);

		if (other->streaming && !other->stream_ended && *other->session &&
		    other->peer.who.uid == c->peer.who.uid && !strcmp(other->session, name))
			return other;
	}
	return NULL;
}

/* Leave percent signs as they are: no path of ours has one. */
static size_t unescape_nothing(void *cls, struct MHD_Connection *mhd, char *text)
{
	(void)cls, (void)mhd;
	return strlen(text);
}

/* Called for each request line, also of requests that MHD then refuses by itself. */
static void *on_line(void *cls, const char *uri, struct MHD_Connection *mhd)
{
	(void)cls, (void)uri;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_conn *c = info ? info->socket_context : NULL;
	if (c)
		c->n_begun++;
	return NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
				  const char *version, const char *upload_data, size_t *upload_len, void **request)
{
	(void)cls;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_conn *c = info ? info->socket_context : NULL;
	if (!c)
		return MHD_NO;
	return http_request_take(c, url, method, version, upload_data, upload_len, request);
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **request, enum MHD_RequestTerminationCode how)
{
	(void)cls;
	(void)how;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http_conn *c = info ? info->socket_context : NULL;
	if (c)
		c->waiting_since_ms = http_now_ms(c);
	http_request_free(*request);
	*request = NULL;
}

static void http_conn_destroy(struct http_conn *c)
{
	struct server *s = c->server;

	list_remove(&c->link);
	guest_end(&c->guest);
	client_destroy(c->client);
	credential_ask_forget(c->asked);
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
	struct http *h = timer->data;

	h->on_time = true;
	http_run(h);
	h->on_time = false;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	http_run(poll->data);
}

static void http_run(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG timeout, first = 0;
	bool timed = false;

	h->resumed = false;
	for (size_t i = 0; i < N_HALVES; i++) {
		if (h->halves[i].daemon)
			MHD_run(h->halves[i].daemon);
	}
	if (h->closing)
		return;
	/*
	 * For instance, a request of this run resumed a stream because of its events. MHD_get_timeout() does not report
	 * that.
	 */
	if (h->resumed) {
		uv_timer_start(&h->timer, on_timer, 0, 0);
		return;
	}
	for (size_t i = 0; i < N_HALVES; i++) {
		if (!h->halves[i].daemon || MHD_get_timeout(h->halves[i].daemon, &timeout) != MHD_YES)
			continue;
		first = timed && first < timeout ? first : timeout;
		timed = true;
	}
	/*
	 * During an unfinished TLS handshake MHD wants to be called again at once. libuv 1.44 calls a timer that is due
	 * again before it polls: let the other handles run first.
	 */
	if (timed)
		uv_timer_start(&h->timer, on_timer, h->on_time && !first ? BUSY_MS : first, 0);
	else
		uv_timer_stop(&h->timer);
}

static bool half_start(struct http *h, struct half *half, const struct tls *tls)
{
	const struct MHD_OptionItem for_tls[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? (void *)tls_certificate(tls) : NULL},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? (void *)tls_key(tls) : NULL},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_PRIORITY},
		{MHD_OPTION_END, 0, NULL},
	};
	const struct MHD_OptionItem *more = tls ? for_tls : &for_tls[3];

	half->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0), 0, NULL,
		NULL, on_request, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, h, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)(LIMIT_MESSAGE_MS / 1000),
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)(2 * LIMIT_CONNECTIONS), MHD_OPTION_UNESCAPE_CALLBACK,
		unescape_nothing, NULL, MHD_OPTION_URI_LOG_CALLBACK, on_line, NULL, HTTP_DISCIPLINE, MHD_OPTION_ARRAY,
		more, MHD_OPTION_END);
	const union MHD_DaemonInfo *info =
		half->daemon ? MHD_get_daemon_info(half->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (info && info->epoll_fd >= 0 && !uv_poll_init(&h->server->loop, &half->poll, info->epoll_fd)) {
		half->poll.data = h;
		uv_poll_start(&half->poll, UV_READABLE, on_poll);
		return true;
	}
	if (half->daemon)
		MHD_stop_daemon(half->daemon);
	half->daemon = NULL;
	return false;
}

static struct error *http_create(struct server *s, struct http **ret)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return &error_nomem;
	h->server = s;
	list_init(&h->conns);
	uv_timer_init(&s->loop, &h->timer);
	h->timer.data = h;
	*ret = h;
	return NULL;
}

/* Return the half for connections of @peer's listener. */
static struct half *find_half(struct http *h, const struct conn_peer *peer)
{
	const struct tls *tls = address_is_encrypted(peer->listener) ? h->server->tls : NULL;
	struct half *half = &h->halves[tls != NULL];

	return half->daemon || half_start(h, half, tls) ? half : NULL;
}

void http_adopt(struct server *s, int fd, const struct conn_peer *peer)
{
	struct sockaddr_storage address = {.ss_family = AF_INET};
	struct error *err = NULL;

	server_connection_opened(s);
	if (!s->http)
		err = http_create(s, &s->http);
	struct half *half = err ? NULL : find_half(s->http, peer);
	if (!err && !half)
		err = error_create(ERR_INTERNAL_ERROR, "cannot start libmicrohttpd");
	struct http_conn *c = err ? NULL : calloc(1, sizeof(*c));
	if (c) {
		c->server = s;
		c->peer = *peer;
		c->bound = *peer->listener;
		c->waiting_since_ms = http_now_ms(c);
		list_init(&c->link);
		err = client_create(s->session, &http_client_ops, c, &peer->who, true, &c->client);
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
	if (!peer->authenticated)
		guest_begin(&s->guests, &c->guest, fd, &peer->end);
	server_arm(s);
	s->http->adopting = c;
	/* MHD uses the address only in its log, and does not accept that of a unix peer. */
	bool added = MHD_add_connection(half->daemon, fd, (struct sockaddr *)&address, sizeof(struct sockaddr_in)) ==
		     MHD_YES;
	if (!added) {
		/* MHD has closed the socket, and may have called the callback for that. */
		log_error("HTTP: libmicrohttpd refused the connection");
		s->http->adopting = NULL;
		list_for_each (it, tmp, &s->http->conns) {
			if (it == &c->link)
				http_conn_destroy(c);
		}
		return;
	}
	http_run(s->http);
}

/*
 * Return true if the peer will send nothing more. MHD misses the end if it arrives with the last bytes: epoll reports
 * both at once, and MHD reads once.
 */
static bool is_at_end(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool http_tick(struct server *s, int64_t now)
{
	if (!s->http)
		return false;
	list_for_each (it, tmp, &s->http->conns) {
		struct http_conn *c = list_entry(it, struct http_conn, link);

		if (c->streaming) {
			http_stream_tick(c, now);
			continue;
		}
		if (!c->waiting_since_ms || now - c->waiting_since_ms < HALF_MS)
			continue;
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
		/* Over TLS the handshake precedes the first request. MHD's own timeout restarts with each byte. */
		int64_t limit = !c->n_begun && address_is_encrypted(&c->bound) ? LIMIT_HANDSHAKE_MS : LIMIT_MESSAGE_MS;
		if (info && (now - c->waiting_since_ms >= limit || is_at_end(info->connect_fd)))
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
	/* Send the last answers as far as the sockets accept them; then close the remaining connections. */
	for (int i = 0; i < 4; i++) {
		for (size_t k = 0; k < N_HALVES; k++) {
			if (h->halves[k].daemon)
				MHD_run(h->halves[k].daemon);
		}
	}
	for (size_t k = 0; k < N_HALVES; k++) {
		if (h->halves[k].daemon)
			MHD_stop_daemon(h->halves[k].daemon);
	}
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
		struct http_conn *c = list_entry(it, struct http_conn, link);

		if (c->streaming)
			http_stream_end(c);
		else if (c->asked)
			http_resume(c); /* its request gets an error */
	}
	/* Close the handles later: MHD_run() may be the caller. */
	h->n_handles = 1;
	for (size_t k = 0; k < N_HALVES; k++) {
		if (!h->halves[k].daemon)
			continue;
		h->n_handles++;
		uv_close((uv_handle_t *)&h->halves[k].poll, on_handle_closed);
	}
	uv_close((uv_handle_t *)&h->timer, on_handle_closed);
}
