/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The input of a connection. The first byte selects JSON or HTTP. rpc/framing.c splits JSON into texts for
 * session/session.c; server/http.c takes over HTTP.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/conn_internal.h"
#include "server/http.h"
#include "server/http_guard.h"

static void on_checked(void *arg)
{
	struct conn *c = arg;

	conn_resume(c);
	conn_update(c);
}

/*
 * Return true if the request @text must wait for munged's answer about its credential. The request is handled after the
 * answer; nothing more is read until then.
 */
static bool needs_check(struct conn *c, const char *text, size_t len)
{
	char *credential;

	if (c->asked || !c->server->options->auth || client_is_authenticated(c->client))
		return c->asked && !credential_ask_is_done(c->asked);
	credential = credential_in_request(text, len);
	if (!credential)
		return false;
	struct error *err =
		credential_ask_begin(&c->server->loop, &c->server->credentials, credential, on_checked, c, &c->asked);
	free(credential);
	if (err)
		log_err(LOG_ERROR, err, "connection");
	error_destroy(err);
	return !err;
}

void conn_parse_failed(struct conn *c, struct error *err)
{
	if (error_is(err, ERR_PARSE_ERROR) && c->framing.kind == FRAMING_UNKNOWN && c->in.len) {
		if (http_guard_guess(buf_head(&c->in), c->in.len) == GUESS_HTTP) {
			error_hint(err, "this listener does not speak HTTP: start ompdd with --listen http:PORT, "
					"or use its unix socket");
		} else {
			error_destroy(err);
			err = error_create(ERR_PARSE_ERROR,
					   "byte 0x%02x starts neither a JSON text nor a known framing",
					   (unsigned char)*buf_head(&c->in));
		}
	}
	client_send_error(c->client, err);
	error_destroy(err);
	conn_finish(c);
}

void conn_process(struct conn *c)
{
	const char *text = NULL;
	size_t len;

	while (c->state == CONN_OPEN && conn_has_room(c)) {
		bool answered;

		if (c->in.len == 0) {
			c->partial_since_ms = 0;
			break;
		}
		struct error *err = framing_next(&c->framing, &c->in, c->eof, &text, &len);
		if (err) {
			conn_parse_failed(c, err);
			return;
		}
		if (!text) {
			if (c->in.len == 0)
				c->partial_since_ms = 0;
			else if (c->partial_since_ms == 0)
				c->partial_since_ms = conn_now_ms(c);
			if (c->in.len && c->eof) {
				conn_parse_failed(c, error_create(ERR_PARSE_ERROR, "the connection ended in the middle "
										   "of a message"));
				return;
			}
			break;
		}
		c->partial_since_ms = 0;
		if (needs_check(c, text, len))
			return;
		err = session_receive(c->client, text, len, &answered);
		if (client_is_authenticated(c->client))
			guest_end(&c->guest);
		if (c->state == CONN_OPEN)
			framing_done(&c->framing, &c->in, len);
		if (err) {
			error_destroy(err);
			conn_finish(c);
			return;
		}
	}
	conn_check_eof(c);
}

/* A unix socket serves both JSON and HTTP: peek without consuming. Returns false if there is nothing more to do. */
static bool check_first_bytes(struct conn *c)
{
	char text[sizeof("OPTIONS ") - 1];

	ssize_t n = recv(c->in_fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
	if (n < 0)
		return errno != EAGAIN && errno != EINTR;
	c->state = CONN_OPEN;
	/* HTTP that arrives byte by byte goes to MHD, too: MHD waits for the rest. */
	if (n == 0 || http_guard_guess(text, (size_t)n) == GUESS_NOT_HTTP)
		return true;
	/* Remove the fd from the loop's epoll before its new owner can close it. */
	uv_poll_stop(&c->poll);
	c->events = 0;
	int fd = c->in_fd;
	c->in_fd = c->out_fd = -1;
	client_destroy(c->client);
	c->client = NULL;
	c->server->n_connections--; /* the connection continues under HTTP */
	http_adopt(c->server, fd, &c->peer);
	conn_close(c);
	return false;
}

static void conn_finish_input(struct conn *c)
{
	struct pollfd p = {.fd = c->out_fd};

	c->eof = true;
	/* A peer that has closed both directions reads no answers: its requests need not be finished. */
	if (!c->stdio && c->peer.authenticated && poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR)) {
		conn_close(c);
		return;
	}
	conn_process(c);
}

/* Read once. Returns true if there may be more input that the socket does not show. */
static bool read_input(struct conn *c)
{
	char *where;

	struct error *err = buf_reserve(&c->in, c->read_size, &where);
	if (err) {
		log_err(LOG_ERROR, err, "connection");
		conn_close(c);
		return false;
	}
	ssize_t n = c->tls ? tls_read(c->tls, where, c->read_size) : read(c->in_fd, where, c->read_size);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			conn_close(c);
		return false;
	}
	if (n == 0 && c->state == CONN_DRAINING) {
		conn_close(c);
		return false;
	}
	if (n == 0) {
		conn_finish_input(c);
		return false;
	}
	c->server->stats.bytes_in += (uint64_t)n;
	if (c->state == CONN_DRAINING)
		return true;
	c->read_size = (size_t)n == c->read_size ? CONN_READ_LARGE : CONN_READ_SMALL;
	buf_commit(&c->in, (size_t)n);
	conn_process(c);
	return true;
}

void conn_read(struct conn *c)
{
	if (c->state == CONN_FIRST_BYTE && !check_first_bytes(c))
		return;
	while (read_input(c) && c->tls && tls_has_input(c->tls) &&
	       (c->state == CONN_DRAINING || (c->state == CONN_OPEN && conn_has_room(c))))
		;
}
