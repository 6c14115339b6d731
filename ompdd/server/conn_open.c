/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How connections start: accepted, refused, or stdin and stdout. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/address.h"
#include "server/conn_internal.h"
#include "server/peer.h"

/* The maximum number of refused connections, beyond LIMIT_CONNECTIONS, that still receive their error. */
#define REFUSED_MAX 16

static struct error *conn_alloc(struct server *s, int in_fd, int out_fd, struct conn **ret)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_nomem;
	c->server = s;
	c->in_fd = in_fd;
	c->out_fd = out_fd;
	c->opened_ms = (int64_t)uv_now(&s->loop);
	c->read_size = CONN_READ_SMALL;
	framing_init(&c->framing, false, LIMIT_MESSAGE);
	list_append(&s->conns, &c->link);
	*ret = c;
	return NULL;
}

void conn_accept(struct server *s, int fd, const struct conn_peer *peer)
{
	struct conn *c;

	struct error *err = conn_alloc(s, fd, fd, &c);
	if (err)
		goto fail;
	c->peer = *peer;
	/* Only unix sockets accept HTTP beside JSON. The kernel identifies the peer there at the start. */
	c->state = peer->authenticated ? CONN_FIRST_BYTE : CONN_OPEN;
	int rc = uv_poll_init(&s->loop, &c->poll, fd);
	if (rc) {
		err = error_uv(rc, "poll a connection");
		goto fail_poll;
	}
	c->poll.data = c;
	c->has_poll = true;
	if (address_is_encrypted(peer->listener))
		err = tls_session_create(s->tls, fd, &c->tls);
	if (err)
		goto fail_client;
	err = client_create(s->session, &conn_client_ops, c, &peer->who, peer->authenticated, &c->client);
	if (err)
		goto fail_client;
	if (!peer->authenticated)
		guest_begin(&s->guests, &c->guest, fd, &peer->end);
	server_connection_opened(s);
	conn_update(c);
	return;

fail_client:
	log_err(LOG_ERROR, err, "accept");
	error_destroy(err);
	conn_close(c);
	return;
fail_poll:
	list_remove(&c->link);
	free(c);
fail:
	log_err(LOG_ERROR, err, "accept");
	error_destroy(err);
	close(fd);
}

static struct error *write_http_refusal(struct buf *out, const struct error *why)
{
	char text[512], header[192];

	/* Both texts are the daemon's own, and short. */
	int len = snprintf(text, sizeof(text), "%s; %s\n", why->message, error_hint_text(why));
	if (len >= (int)sizeof(text))
		len = (int)sizeof(text) - 1;
	int n = snprintf(header, sizeof(header),
			 "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"
			 "Connection: close\r\n\r\n",
			 error_is(why, ERR_UNAUTHORIZED) ? "403 Forbidden" : "503 Service Unavailable", len);
	struct error *err = buf_append(out, header, (size_t)n);
	return err ? err : buf_append(out, text, (size_t)len);
}

void conn_refuse(struct server *s, int fd, bool http, const struct error *why)
{
	struct conn *c;
	size_t n = 0;

	list_for_each (it, tmp, &s->conns)
		n += list_entry(it, struct conn, link)->client == NULL;
	if (n >= REFUSED_MAX) {
		close(fd);
		return;
	}
	struct error *err = conn_alloc(s, fd, fd, &c);
	if (err) {
		close(fd);
		return;
	}
	if (http)
		err = write_http_refusal(&c->out, why);
	else
		err = message_write_error(&c->out, NULL, why);
	if (!err && !http)
		err = buf_append(&c->out, "\n", 1);
	error_destroy(err);
	if (uv_poll_init(&s->loop, &c->poll, fd)) {
		list_remove(&c->link);
		buf_deinit(&c->out);
		free(c);
		close(fd);
		return;
	}
	c->poll.data = c;
	c->has_poll = true;
	c->progress_ms = c->opened_ms;
	c->state = CONN_FLUSHING;
	conn_flush(c);
}

struct error *conn_create_stdio(struct server *s)
{
	struct conn *c;

	struct error *err = conn_alloc(s, STDIN_FILENO, STDOUT_FILENO, &c);
	if (err)
		return err;
	c->stdio = true;
	c->peer = (struct conn_peer){.who = {.uid = geteuid(), .gid = getegid(), .pid = getppid()},
				     .authenticated = true};
	peer_find_program(&c->peer.who);
	allow_apply(s->allow, s->n_allow, NULL, 0, &c->peer.who);
	allow_limit(s->stdio_tier, "stdio", &c->peer.who);
	c->state = CONN_OPEN;
	/*
	 * libuv makes the files non-blocking. Save their flags, to restore them for other processes that share the
	 * files.
	 */
	c->in_flags = fcntl(STDIN_FILENO, F_GETFL);
	c->out_flags = fcntl(STDOUT_FILENO, F_GETFL);
	c->poll.data = c->out_poll.data = c->pump.data = c;
	if (uv_poll_init(&s->loop, &c->poll, STDIN_FILENO) == 0) {
		c->has_poll = true;
	} else {
		uv_idle_init(&s->loop, &c->pump);
		c->has_pump = true;
	}
	/* Input and output may be the same socket: watch it under a second number. */
	c->out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (c->out_fd < 0)
		c->out_fd = STDOUT_FILENO;
	if (uv_poll_init(&s->loop, &c->out_poll, c->out_fd) == 0)
		c->has_out_poll = true; /* else a file: writing does not block */
	err = client_create(s->session, &conn_client_ops, c, &c->peer.who, true, &c->client);
	if (err) {
		conn_close(c);
		return err;
	}
	server_connection_opened(s);
	conn_update(c);
	return NULL;
}
