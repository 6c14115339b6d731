/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Connecting, sending and receiving. */
#include "connection.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "listener.h"

#define READ_SIZE (256U << 10)

void connection_init(struct connection *c, const struct advice *advice, int64_t timeout_ms, int log_copy)
{
	*c = (struct connection){.fd = -1,
				 .log_fd = -1,
				 .advice = advice,
				 .timeout_ms = timeout_ms,
				 .log_copy = log_copy,
				 .deadline_ms = clock_now_ms() + timeout_ms};
}

struct error *connection_time_out(const struct connection *c)
{
	return failure_create(ERR_CONNECT, "timeout", c->advice->timeout, "no answer from %s within %g s", c->name,
			      (double)c->timeout_ms / 1000);
}

bool connection_is_timeout(const struct error *f)
{
	return error_is(f, ERR_CONNECT) && !f->answer && f->name && !strcmp(f->name, "timeout");
}

/* Wait for @events on the connection, and read the log of a private daemon meanwhile. */
static struct error *await_events(struct connection *c, short events)
{
	for (;;) {
		struct pollfd fds[2] = {{.fd = c->fd, .events = events}, {.fd = c->log_fd, .events = POLLIN}};
		int64_t left = c->deadline_ms - clock_now_ms();

		if (left < 0)
			left = 0;
		struct timespec limit = {left > 1000000 ? 1000 : left / 1000, left % 1000 * 1000000};
		int n = ppoll(fds, 2, &limit, c->interrupted ? &c->waiting_mask : NULL);
		if (c->interrupted && *c->interrupted)
			return failure_create(ERR_CONNECT, "interrupted", NULL, "interrupted");
		if (n < 0 && errno != EINTR)
			return failure_create(ERR_CONNECT, NULL, NULL, "poll: %m");
		if (n > 0 && fds[1].revents)
			spawn_read_log(c);
		if (n > 0 && fds[0].revents)
			return NULL;
		if (!left)
			return connection_time_out(c);
	}
}

static struct error *create_connect_failure(const struct connection *c, int code)
{
	const char *hint = c->advice->not_running;

	if (code == EACCES || code == EPERM)
		hint = "only the user who started ompdd may connect to it";
	return failure_create(ERR_CONNECT, "cannot_connect", hint, "cannot connect to %s: %s", c->name, strerror(code));
}

/* Connect, at the latest by the deadline. Returns 0 or the error code. */
static int connect_socket(struct connection *c, const struct sockaddr *address, socklen_t len,
			  struct error **failure_ret)
{
	int code = 0;
	socklen_t code_len = sizeof(code);

	c->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		return errno;
	if (connect(c->fd, address, len) == 0)
		return 0;
	if (errno == EINPROGRESS) {
		*failure_ret = await_events(c, POLLOUT);
		if (*failure_ret)
			return ETIMEDOUT;
		getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &code, &code_len);
	} else {
		code = errno;
	}
	if (code) {
		close(c->fd);
		c->fd = -1;
	}
	return code;
}

int connection_is_served(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(address.sun_path, path, strnlen(path, sizeof(address.sun_path) - 1));
	/* Any other error is reported to the user by the actual connect. */
	int is_absent = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
			(errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED);
	if (fd >= 0)
		close(fd);
	return !is_absent;
}

static struct error *open_unix(struct connection *c, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct error *f = NULL;

	memcpy(address.sun_path, path, strnlen(path, sizeof(address.sun_path) - 1));
	int code = connect_socket(c, (struct sockaddr *)&address, sizeof(address), &f);
	return f || !code ? f : create_connect_failure(c, code);
}

/* Check the listener before the token is sent. */
static struct error *check_listener(const struct connection *c)
{
	struct net_end own, peer;
	struct refusal no;

	if (!net_ends(c->fd, &own, &peer))
		return create_connect_failure(c, ECONNRESET);
	if (!listener_refuse(&own, &peer, &no))
		return NULL;
	return failure_create(ERR_CONNECT, "unauthorized", no.hint, "cannot use %s: %s", c->name, no.why);
}

static struct error *open_tcp(struct connection *c, const struct uri *uri)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *list = NULL;
	struct error *f = NULL;
	int code = 0, one = 1;

	int rc = getaddrinfo(uri->host, uri->port, &hints, &list);
	if (rc)
		return failure_create(ERR_CONNECT, "cannot_connect", NULL, "cannot connect to %s: %s", c->name,
				      gai_strerror(rc));
	for (struct addrinfo *a = list; a; a = a->ai_next) {
		code = connect_socket(c, a->ai_addr, a->ai_addrlen, &f);
		if (f || !code)
			break;
	}
	freeaddrinfo(list);
	if (f || code)
		return f ? f : create_connect_failure(c, code);
	f = check_listener(c);
	if (f)
		return f;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return NULL;
}

struct error *connection_open(struct connection *c, const struct uri *uri)
{
	c->name = uri_format(uri);
	if (!c->name)
		return &error_nomem;
	return uri->kind == URI_UNIX ? open_unix(c, uri->path) : open_tcp(c, uri);
}

static struct error *create_lost_failure(struct connection *c, const char *why)
{
	if (c->pid)
		return spawn_died(c);
	return failure_create(ERR_CONNECT, "connection_lost", "the daemon's log may show the reason",
			      "the daemon at %s closed the connection%s%s", c->name, *why ? ": " : " without an answer",
			      why);
}

struct error *connection_send(struct connection *c, struct buf *out)
{
	while (out->len) {
		ssize_t n = send(c->fd, buf_head(out), out->len, MSG_NOSIGNAL);
		struct error *f = NULL;

		if (n >= 0) {
			buf_consume(out, (size_t)n);
			continue;
		}
		/* The daemon may have sent the reason before it closed: connection_receive() finds it. */
		if (errno == EPIPE || errno == ECONNRESET) {
			buf_consume(out, out->len);
			return NULL;
		}
		if (errno == EAGAIN)
			f = await_events(c, POLLOUT);
		else if (errno != EINTR)
			f = create_lost_failure(c, strerror(errno));
		if (f)
			return f;
	}
	return NULL;
}

static int find_line(struct connection *c, const char **line_ret, size_t *len_ret)
{
	const char *start = buf_head(&c->in);
	const char *end = c->in.len > c->scanned ? memchr(start + c->scanned, '\n', c->in.len - c->scanned) : NULL;

	if (!end) {
		c->scanned = c->in.len;
		return 0;
	}
	*line_ret = start;
	*len_ret = (size_t)(end - start);
	c->taken = *len_ret + 1;
	c->scanned = 0;
	return 1;
}

bool connection_has_line(const struct connection *c)
{
	return c->in.len > c->taken && memchr(buf_head(&c->in) + c->taken, '\n', c->in.len - c->taken);
}

struct error *connection_receive(struct connection *c, const char **line_ret, size_t *len_ret)
{
	buf_consume(&c->in, c->taken);
	c->taken = 0;
	while (!find_line(c, line_ret, len_ret)) {
		struct error *f;
		char *where;

		if (c->in.len > CONN_MAX_LINE)
			return failure_create(ERR_CONNECT, "bad_answer", "is this an ompdd?",
					      "%s sent a line of more than %u MiB", c->name, CONN_MAX_LINE >> 20);
		f = buf_reserve(&c->in, READ_SIZE, &where);
		if (f)
			return f;
		ssize_t n = recv(c->fd, where, READ_SIZE, 0);
		if (n > 0) {
			buf_commit(&c->in, (size_t)n);
			continue;
		}
		if (n == 0)
			return create_lost_failure(c, "");
		if (errno == EAGAIN) {
			f = await_events(c, POLLIN);
			if (f)
				return f;
		} else if (errno != EINTR) {
			return create_lost_failure(c, strerror(errno));
		}
	}
	return NULL;
}

void connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	spawn_end(c);
	if (c->log_fd >= 0)
		close(c->log_fd);
	c->log_fd = -1;
	buf_deinit(&c->in);
	buf_deinit(&c->log);
	free(c->name);
	c->name = NULL;
}
