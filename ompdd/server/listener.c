/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accepts connections; server/conn.c or server/http.c then serves them. */
#include "server/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/audit.h"
#include "server/conn.h"
#include "server/http.h"
#include "server/internal.h"
#include "server/peer.h"

#define BACKLOG 128
/* The maximum number of connections accepted in a row, so that other handles are served meanwhile. */
#define ACCEPT_AT_ONCE 16

static struct error *bind_inet(struct listener *l)
{
	struct address *a = &l->address;
	int one = 1;

	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->u.sa.sa_family == AF_INET6)
		setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(l->fd, &a->u.sa, a->len))
		return error_create_errno(errno, "bind %s", l->text);
	socklen_t len = sizeof(a->u);
	if (getsockname(l->fd, &a->u.sa, &len))
		return error_create_errno(errno, "getsockname");
	address_format(a, l->text);
	return NULL;
}

static struct error *bind_listener(struct listener *l)
{
	const struct server_options *o = l->server->options;

	if (l->address.kind != ADDRESS_UNIX)
		return bind_inet(l);
	return unix_socket_bind(&l->own, l->fd, &l->address, o->socket_group, o->socket_mode);
}

static struct error *check_policy(const struct server *s, const struct listener *l)
{
	if (!address_is_local(&l->address) && !s->options->allow_remote)
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s can be reached from other machines", l->text),
				  "forward a local one with ssh, or listen on tls: or https:, and add --allow-remote");
	if (!address_is_local(&l->address) && !address_is_encrypted(&l->address))
		return error_hint(error_create(ERR_UNAUTHORIZED,
					       "%s can be reached from other machines and is not encrypted", l->text),
				  "listen on %s: instead of %.*s:", address_is_http(&l->address) ? "https" : "tls",
				  (int)strcspn(l->text, ":"), l->text);
	if (l->address.kind == ADDRESS_UNIX && unix_socket_is_shared(s->options->socket_mode) && geteuid() != 0)
		return error_hint(error_create(ERR_UNAUTHORIZED, "--socket-mode %04o needs a daemon that runs as root",
					       s->options->socket_mode),
				  "an ompdd of any other user serves that user only");
	if (l->address.kind != ADDRESS_UNIX && !s->token && !s->options->auth)
		return error_hint(
			error_create(ERR_UNAUTHORIZED, "%s needs a token", l->text),
			"add --token-file FILE; ompdd creates the file if it is missing; or add --auth munge");
	return NULL;
}

static void accept_connections(uv_poll_t *poll, int status, int events);

static struct error *listener_start(struct listener *l)
{
	struct server *s = l->server;

	int rc = uv_poll_init(&s->loop, &l->poll, l->fd);
	if (rc)
		return error_uv(rc, "%s", l->text);
	l->poll.data = l;
	list_append(&s->listeners, &l->link);
	rc = uv_poll_start(&l->poll, UV_READABLE, accept_connections);
	if (rc)
		return error_uv(rc, "%s", l->text);
	/* A script that waits for this line may connect now. */
	dprintf(s->stdio ? STDERR_FILENO : STDOUT_FILENO, "listening on %s\n", l->text);
	return session_add_listener(s->session, l->text);
}

static void listener_free(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	unix_socket_remove(&l->own);
	free(l);
}

static struct listener *listener_alloc(struct server *s, int fd)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	list_init(&l->link);
	l->server = s;
	l->fd = fd;
	l->own = UNIX_SOCKET_NONE;
	l->tier = TIER_ADMIN;
	return l;
}

struct error *listener_create(struct server *s, const struct address *address, enum method_tier tier)
{
	struct listener *l = listener_alloc(s, -1);

	if (!l)
		return &error_nomem;
	l->address = *address;
	l->tier = tier;
	address_format(address, l->text);
	struct error *err = check_policy(s, l);
	if (!err) {
		l->fd = socket(address->u.sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (l->fd < 0)
			err = error_create_errno(errno, "socket");
	}
	if (!err)
		err = bind_listener(l);
	if (!err && listen(l->fd, BACKLOG))
		err = error_create_errno(errno, "listen on %s", l->text);
	if (!err)
		err = listener_start(l);
	if (!err)
		return NULL;
	if (list_is_empty(&l->link))
		listener_free(l);
	return err; /* else the server closes it */
}

static struct error *adopt_socket(struct server *s, int fd, enum address_kind kind)
{
	socklen_t len;
	int value;

	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len) || !value)
		return error_create(ERR_INVALID_PARAMS, "fd %d from systemd is not a listening socket", fd);
	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len) || value != SOCK_STREAM)
		return error_create(ERR_INVALID_PARAMS, "fd %d from systemd is not a stream socket", fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	struct listener *l = listener_alloc(s, fd);
	if (!l)
		return &error_nomem;
	l->address.len = sizeof(l->address.u);
	struct error *err = NULL;
	if (getsockname(fd, &l->address.u.sa, &l->address.len))
		err = error_create_errno(errno, "fd %d from systemd", fd);
	switch (l->address.u.sa.sa_family) {
	case AF_UNIX:
		l->address.kind = ADDRESS_UNIX;
		break;
	case AF_INET:
	case AF_INET6:
		l->address.kind = kind;
		break;
	default:
		err = error_create(ERR_INVALID_PARAMS, "fd %d from systemd: unknown family", fd);
	}
	if (!err) {
		address_format(&l->address, l->text);
		err = check_policy(s, l);
	}
	if (!err)
		err = listener_start(l);
	if (err && list_is_empty(&l->link))
		listener_free(l);
	return err;
}

struct error *listener_adopt_systemd(struct server *s, int first_fd, int n_fds, char *const *names)
{
	for (int i = 0; i < n_fds; i++) {
		enum address_kind kind = ADDRESS_TCP;

		if (!strcmp(names[i], "http"))
			kind = ADDRESS_HTTP;
		else if (!strcmp(names[i], "https"))
			kind = ADDRESS_HTTPS;
		else if (!strcmp(names[i], "tls"))
			kind = ADDRESS_TLS;
		struct error *err = adopt_socket(s, first_fd + i, kind);
		if (err)
			return err;
	}
	return NULL;
}

static void on_closed(uv_handle_t *handle)
{
	listener_free(handle->data);
}

void listener_close(struct listener *l)
{
	list_remove(&l->link);
	uv_close((uv_handle_t *)&l->poll, on_closed);
}

/* Check the limits. A client's connection displaces a guest if all places are taken. */
static struct error *make_room(struct server *s, uid_t uid)
{
	size_t n = s->n_connections - s->guests.n_leaving;

	struct error *err = session_check_connection(s->session, uid, n - s->guests.n);
	if (!err && n >= LIMIT_CONNECTIONS)
		guests_send_one_away(&s->guests);
	return err;
}

static void admit_connection(struct listener *l, int fd)
{
	struct server *s = l->server;
	struct conn_peer peer = {.who = {.uid = geteuid(), .gid = getegid()}, .listener = &l->address};
	gid_t groups[PEER_MAX_GROUPS];
	size_t n_groups = 0;
	int one = 1;

	s->stats.connections++;
	_cleanup_error_ struct error *refusal = NULL;
	if (l->address.kind == ADDRESS_UNIX) {
		peer.authenticated = true;
		refusal = peer_of_unix(fd, &peer);
		n_groups = s->n_allow ? peer_groups(fd, groups) : 0;
	} else {
		refusal = peer_of_inet(fd, &s->metrics_for, &peer);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	}
	if (refusal)
		audit_write(&(struct audit_entry){
			.uid = peer.who.uid,
			.pid = peer.who.pid,
			.program = peer.who.program,
			.method = "connect",
			.target = NULL,
			.outcome = error_name(refusal),
		});
	/* A peer with the token acts as the daemon's own user (peer_of_inet()), whatever its user is. */
	if (l->address.kind != ADDRESS_UNIX)
		peer.who.uid = geteuid();
	allow_apply(s->allow, s->n_allow, groups, n_groups, &peer.who);
	allow_limit(l->tier, l->text, &peer.who);
	if (!refusal)
		refusal = make_room(s, peer.who.uid);
	if (refusal) {
		s->stats.connections_refused++;
		log_err(LOG_INFO, refusal, "%s: refused", l->text);
		/* A client that expects TLS could not read a reason in plain text. */
		if (address_is_encrypted(&l->address))
			close(fd);
		else
			conn_refuse(s, fd, l->address.kind == ADDRESS_HTTP, refusal);
	} else if (address_is_http(&l->address)) {
		http_adopt(s, fd, &peer);
	} else {
		conn_accept(s, fd, &peer);
	}
}

static void accept_connections(uv_poll_t *poll, int status, int events)
{
	struct listener *l = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			admit_connection(l, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			log_warn("%s: accept: %s", l->text, strerror(errno));
			l->paused = true;
			uv_poll_stop(&l->poll);
			server_arm(l->server);
		}
		return;
	}
}

void listener_tick(struct listener *l)
{
	if (!l->paused)
		return;
	l->paused = false;
	uv_poll_start(&l->poll, UV_READABLE, accept_connections);
}
