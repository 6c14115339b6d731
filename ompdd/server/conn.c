/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A connection's life: the events that it waits for, its output, its time limits and its end. conn_input.c handles
 * input; conn_open.c opens connections.
 */
#include "server/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/conn_internal.h"

/* Read nothing while more than this is queued: a client must read its answers before it sends more requests. */
#define OUTPUT_LOW_MARK (256 * 1024)
/* Queue no events while more than this is queued: answers go first. */
#define OUTPUT_EVENT_MARK (128 * 1024)
/* How long the peer may take to notice the end after the last answer. Input is discarded meanwhile. */
#define LINGER_MS 1000

static void on_poll(uv_poll_t *poll, int status, int events);
static void on_out_poll(uv_poll_t *poll, int status, int events);
static void on_pump(uv_idle_t *pump);

int64_t conn_now_ms(const struct conn *c)
{
	return (int64_t)uv_now(&c->server->loop);
}

static bool is_timed(const struct conn *c)
{
	return c->out.len || c->partial_since_ms || c->eof || c->state >= CONN_FLUSHING ||
	       (c->client && !client_is_authenticated(c->client));
}

bool conn_has_room(const struct conn *c)
{
	return c->out.len <= OUTPUT_LOW_MARK && (!c->asked || credential_ask_is_done(c->asked));
}

void conn_update(struct conn *c)
{
	if (c->state == CONN_CLOSED)
		return;
	bool want_in = !c->eof && (c->state != CONN_FLUSHING) && (c->state != CONN_OPEN || conn_has_room(c));
	int in = want_in ? UV_READABLE : 0;
	int out = c->out.len || (c->tls && tls_wants_write(c->tls)) ? UV_WRITABLE : 0;

	if (c->has_pump && want_in)
		uv_idle_start(&c->pump, on_pump);
	else if (c->has_pump)
		uv_idle_stop(&c->pump);
	if (!c->stdio)
		in |= out;
	if (c->has_poll && in != c->events) {
		c->events = in;
		if (in)
			uv_poll_start(&c->poll, in, on_poll);
		else
			uv_poll_stop(&c->poll);
	}
	if (c->has_out_poll && out != c->out_events) {
		c->out_events = out;
		if (out)
			uv_poll_start(&c->out_poll, out, on_out_poll);
		else
			uv_poll_stop(&c->out_poll);
	}
	if (is_timed(c))
		server_arm(c->server);
}

static void conn_free(struct conn *c)
{
	struct server *s = c->server;

	list_remove(&c->link);
	guest_end(&c->guest);
	if (c->client) {
		client_destroy(c->client);
		server_connection_closed(s);
	}
	if (c->stdio) {
		fcntl(c->in_fd, F_SETFL, c->in_flags);
		fcntl(c->out_fd, F_SETFL, c->out_flags);
		if (c->out_fd != STDOUT_FILENO)
			close(c->out_fd);
	} else if (c->in_fd >= 0) {
		tls_session_destroy(c->tls);
		close(c->in_fd);
	}
	credential_ask_forget(c->asked);
	buf_deinit(&c->in);
	buf_deinit(&c->out);
	if (c->stdio)
		s->stop(s);
	free(c);
	server_check_done(s);
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct conn *c = handle->data;

	if (--c->n_handles == 0)
		conn_free(c);
}

void conn_close(struct conn *c)
{
	if (c->state == CONN_CLOSED)
		return;
	c->state = CONN_CLOSED;
	c->n_handles = 0;
	if (c->has_poll && ++c->n_handles)
		uv_close((uv_handle_t *)&c->poll, on_handle_closed);
	if (c->has_out_poll && ++c->n_handles)
		uv_close((uv_handle_t *)&c->out_poll, on_handle_closed);
	if (c->has_pump && ++c->n_handles)
		uv_close((uv_handle_t *)&c->pump, on_handle_closed);
}

/* All output is sent. Closing now, with unread input, would reset the connection and lose the last answer. */
static void conn_drain(struct conn *c)
{
	if (c->stdio || c->eof) {
		conn_close(c);
		return;
	}
	c->state = CONN_DRAINING;
	c->draining_since_ms = conn_now_ms(c);
	if (c->tls)
		tls_shutdown(c->tls);
	shutdown(c->out_fd, SHUT_WR);
	conn_update(c);
}

void conn_finish(struct conn *c)
{
	if (c->state >= CONN_FLUSHING)
		return;
	c->state = CONN_FLUSHING;
	c->partial_since_ms = 0;
	conn_flush(c);
}

void conn_check_eof(struct conn *c)
{
	if (c->state == CONN_OPEN && c->eof && c->in.len == 0 && client_is_idle(c->client))
		conn_finish(c);
}

static ssize_t write_output(struct conn *c)
{
	if (c->stdio)
		return write(c->out_fd, buf_head(&c->out), c->out.len);
	if (c->tls)
		return tls_write(c->tls, buf_head(&c->out), c->out.len);
	return send(c->out_fd, buf_head(&c->out), c->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void conn_flush(struct conn *c)
{
	while (c->state != CONN_CLOSED && c->out.len) {
		ssize_t n = write_output(c);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0) {
			conn_close(c);
			return;
		}
		c->server->stats.bytes_out += (uint64_t)n;
		buf_consume(&c->out, (size_t)n);
		c->progress_ms = conn_now_ms(c);
	}
	if (c->state == CONN_FLUSHING && c->out.len == 0) {
		conn_drain(c);
		return;
	}
	conn_update(c);
}

static void client_send(void *conn, const char *text, size_t len)
{
	struct conn *c = conn;

	if (c->state != CONN_OPEN)
		return; /* the peer no longer reads */
	if (c->out.len == 0)
		c->progress_ms = conn_now_ms(c);
	struct error *err = framing_write(&c->framing, &c->out, text, len);
	if (err) {
		log_err(LOG_ERROR, err, "connection");
		error_destroy(err);
		conn_close(c);
		return;
	}
	/* If output is queued already, the loop sends it. */
	if (c->out_events == 0 && !(c->events & UV_WRITABLE))
		conn_flush(c);
	conn_check_eof(c);
}

static size_t client_queued(void *conn)
{
	return ((const struct conn *)conn)->out.len;
}

static void client_finish(void *conn)
{
	conn_finish(conn);
}

static bool client_takes_events(void *conn)
{
	const struct conn *c = conn;

	return c->state == CONN_OPEN && c->out.len <= OUTPUT_EVENT_MARK;
}

static struct error *client_check_credential(void *conn, const char *credential)
{
	struct conn *c = conn;

	return credential_ask_take(&c->asked, credential);
}

const struct client_ops conn_client_ops = {
	.send = client_send,
	.queued = client_queued,
	.finish = client_finish,
	.check_credential = client_check_credential,
	.takes_events = client_takes_events,
};

void conn_resume(struct conn *c)
{
	if (c->state != CONN_OPEN)
		return;
	if (c->out.len <= OUTPUT_EVENT_MARK)
		client_flush_events(c->client);
	if (conn_has_room(c))
		conn_process(c);
	/* The socket does not show bytes that TLS has already read. */
	if (c->tls && c->state == CONN_OPEN && conn_has_room(c) && tls_has_input(c->tls))
		conn_read(c);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct conn *c = poll->data;

	/* The next read or write reports the error condition with its errno. */
	if (status < 0)
		events = UV_READABLE | UV_WRITABLE;
	if (events & UV_WRITABLE && c->out.len) {
		conn_flush(c);
		conn_resume(c);
	} else if (events & UV_WRITABLE && c->tls) {
		events |= UV_READABLE; /* the handshake continues */
	}
	if (events & UV_READABLE && (c->events & UV_READABLE || status < 0) && c->state != CONN_CLOSED)
		conn_read(c);
	if (status < 0 && c->state != CONN_CLOSED)
		conn_close(c);
	conn_update(c);
}

static void on_out_poll(uv_poll_t *poll, int status, int events)
{
	struct conn *c = poll->data;

	(void)events;
	conn_flush(c);
	conn_resume(c);
	if (status < 0 && c->out.len)
		conn_close(c);
	conn_update(c);
}

static void on_pump(uv_idle_t *pump)
{
	struct conn *c = pump->data;

	conn_read(c);
	conn_update(c);
}

static void conn_tick(struct conn *c, int64_t now)
{
	if (c->state == CONN_DRAINING && now - c->draining_since_ms >= LINGER_MS) {
		conn_close(c);
	} else if (c->out.len && now - c->progress_ms >= LIMIT_STALL_MS) {
		log_info("connection closed: the client did not read %zu queued bytes", c->out.len);
		conn_close(c);
	} else if (c->state == CONN_OPEN && c->partial_since_ms && now - c->partial_since_ms >= LIMIT_MESSAGE_MS) {
		conn_parse_failed(c, error_create(ERR_PARSE_ERROR, "a message was not complete after %d s",
						  LIMIT_MESSAGE_MS / 1000));
	} else if (c->tls && !tls_is_ready(c->tls) && now - c->opened_ms >= LIMIT_HANDSHAKE_MS) {
		conn_close(c); /* no way to send the reason */
	} else if (c->state == CONN_OPEN && !client_is_authenticated(c->client) &&
		   now - c->opened_ms >= LIMIT_HANDSHAKE_MS) {
		conn_parse_failed(c, error_create(ERR_UNAUTHORIZED,
						  c->asked ? "munged did not answer within %d s"
							   : "no rpc.authenticate arrived within %d s",
						  LIMIT_HANDSHAKE_MS / 1000));
	} else {
		conn_check_eof(c);
	}
}

bool conn_tick_all(struct server *s, int64_t now)
{
	bool more = false;

	list_for_each (it, tmp, &s->conns) {
		struct conn *c = list_entry(it, struct conn, link);

		if (!is_timed(c) || c->state == CONN_CLOSED)
			continue;
		conn_tick(c, now);
		more = true;
	}
	return more;
}

void conn_finish_all(struct server *s, bool force)
{
	list_for_each (it, tmp, &s->conns) {
		struct conn *c = list_entry(it, struct conn, link);

		if (force)
			conn_close(c);
		else
			conn_finish(c);
	}
}
