/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a connection comes in, from where server/conn.c or server/http.c serves it. */
#include "server/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/audit.h"
#include "base/cleanup.h"
#include "server/allow.h"
#include "base/net_owner.h"
#include "server/conn.h"
#include "server/http.h"
#include "server/internal.h"
#include "server/peer.h"
#include "server/secure_path.h"

#define BACKLOG 128
/* Of a peer, in rules of --allow. */
#define MAX_GROUPS 1024
/* Connections accepted at one go, so that the others are served meanwhile. */
#define ACCEPT_AT_ONCE 16

/* Whether the socket is for others than us, too. */
static bool is_shared(mode_t mode)
{
	return mode & 077;
}

/* /run/ompdd is the node's: systemd-tmpfiles makes it so that everybody reaches the socket of the node's daemon. */
static struct error *check_folder(const char *dir, bool shared)
{
	mode_t denied = shared ? S_IWGRP | S_IWOTH : 077;
	struct stat st;

	if (lstat(dir, &st))
		return error_create_errno(errno, "%s", dir);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & denied))
		return NULL;
	return error_hint(error_create(ERR_UNAUTHORIZED, "%s is not a directory of ours with mode %s", dir,
				       shared ? "0755" : "0700"),
			  "remove it, or give --listen unix:PATH");
}

struct error *listener_default_address(mode_t mode, struct address *ret)
{
	char dir[80];
	char uri[128];
	bool shared = is_shared(mode);

	const char *run = getenv("XDG_RUNTIME_DIR");
	if (run && strlen(run) >= sizeof(dir) - sizeof("/ompdd"))
		return error_create(ERR_INVALID_PARAMS, "XDG_RUNTIME_DIR is too long for a socket");
	if (run && *run) {
		snprintf(dir, sizeof(dir), "%s/ompdd", run);
	} else if (geteuid() == 0) {
		snprintf(dir, sizeof(dir), "/run/ompdd");
		shared = true;
	} else {
		snprintf(dir, sizeof(dir), "/run/user/%u/ompdd", geteuid());
	}
	if (mkdir(dir, is_shared(mode) ? 0755 : 0700) && errno != EEXIST)
		return error_hint(error_create_errno(errno, "mkdir %s", dir),
				  "set XDG_RUNTIME_DIR to a directory of yours, or give --listen unix:PATH");
	struct error *err = check_folder(dir, shared);
	if (err)
		return err;
	snprintf(uri, sizeof(uri), "unix:%s/ompdd.sock", dir);
	return address_parse(uri, ret);
}

/*
 * Take the lock beside the socket. Who holds it may remove a stale socket; and the file removed at
 * the end is the one that was locked, not one that a successor has made since.
 */
static struct error *take_lock(struct listener *l, const char *path)
{
	struct stat mine, there;

	if (asprintf(&l->lock_path, "%s.lock", path) < 0) {
		l->lock_path = NULL;
		return &error_nomem;
	}
	for (;;) {
		_cleanup_close_ int fd = open(l->lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return error_create_errno(errno, "open %s", l->lock_path);
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			if (errno != EWOULDBLOCK)
				return error_create_errno(errno, "lock %s", l->lock_path);
			return error_hint(error_create(ERR_LIMIT_EXCEEDED, "another ompdd listens on unix:%s", path),
					  "use it: ompdctl -s unix:%s targets", path);
		}
		if (fstat(fd, &mine) || lstat(l->lock_path, &there) || mine.st_ino != there.st_ino)
			continue; /* its owner has just removed it */
		l->lock_fd = fd;
		fd = -1;
		return NULL;
	}
}

/* A socket file without its ompdd: remove it, unless somebody else answers there. */
static struct error *remove_stale(const struct address *a)
{
	const char *path = a->u.un.sun_path;
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return NULL;
		return error_create_errno(errno, "%s", path);
	}
	if (!S_ISSOCK(st.st_mode))
		return error_hint(error_create(ERR_INVALID_PARAMS, "%s exists and is no socket", path),
				  "give another path");
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_create_errno(errno, "socket");
	if (!connect(fd, &a->u.sa, a->len) || errno == EAGAIN)
		return error_create(ERR_LIMIT_EXCEEDED, "another program listens on unix:%s", path);
	if (unlink(path))
		return error_create_errno(errno, "remove %s", path);
	return NULL;
}

/* To the group first: nobody gets in whom only the other of the two would let. */
static struct error *share_socket(const struct server_options *o, const char *path)
{
	gid_t gid;

	if (o->socket_group) {
		struct error *err = allow_find_group(o->socket_group, &gid);
		if (err)
			return err;
		if (lchown(path, (uid_t)-1, gid))
			return error_create_errno(errno, "give %s to the group %s", path, o->socket_group);
	}
	if (o->socket_mode && chmod(path, o->socket_mode))
		return error_create_errno(errno, "chmod %s", path);
	return NULL;
}

static struct error *bind_unix(struct listener *l)
{
	const struct address *a = &l->address;

	struct error *err = secure_path_check(a->u.un.sun_path);
	if (err)
		return err;
	err = take_lock(l, a->u.un.sun_path);
	if (!err)
		err = remove_stale(a);
	if (err)
		return err;
	/* By umask: between bind and chmod anybody could connect. */
	mode_t mask = umask(0177);
	int rc = bind(l->fd, &a->u.sa, a->len);
	int bind_errno = errno;
	umask(mask);
	if (rc)
		return error_create_errno(bind_errno, "bind %s", l->text);
	l->bound_path = a->u.un.sun_path;
	return share_socket(l->server->options, l->bound_path);
}

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

static struct error *check_policy(const struct server *s, const struct listener *l)
{
	if (!address_is_local(&l->address) && !s->options->allow_remote)
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s can be reached from other machines", l->text),
				  "forward a local one with ssh, or listen on tls: or https:, and add --allow-remote");
	if (!address_is_local(&l->address) && !address_is_encrypted(&l->address))
		return error_hint(error_create(ERR_UNAUTHORIZED,
					       "%s can be reached from other machines, and is not encrypted", l->text),
				  "listen on %s: instead of %.*s:", address_is_http(&l->address) ? "https" : "tls",
				  (int)strcspn(l->text, ":"), l->text);
	if (l->address.kind == ADDRESS_UNIX && is_shared(s->options->socket_mode) && geteuid() != 0)
		return error_hint(error_create(ERR_UNAUTHORIZED, "--socket-mode %04o is for a daemon of root",
					       s->options->socket_mode),
				  "an ompdd of another user serves that user only");
	if (l->address.kind != ADDRESS_UNIX && !s->token && !s->options->auth)
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s needs a token", l->text),
				  "add --token-file FILE; ompdd makes the file if there is none; or --auth munge");
	return NULL;
}

static void accept_some(uv_poll_t *poll, int status, int events);

static struct error *listener_start(struct listener *l)
{
	struct server *s = l->server;

	int rc = uv_poll_init(&s->loop, &l->poll, l->fd);
	if (rc)
		return error_uv(rc, "%s", l->text);
	l->poll.data = l;
	list_append(&s->listeners, &l->link);
	rc = uv_poll_start(&l->poll, UV_READABLE, accept_some);
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
	if (l->bound_path)
		unlink(l->bound_path); /* before its lock is free */
	if (l->lock_fd >= 0) {
		unlink(l->lock_path);
		close(l->lock_fd);
	}
	free(l->lock_path);
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
	l->lock_fd = -1;
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
		err = address->kind == ADDRESS_UNIX ? bind_unix(l) : bind_inet(l);
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

static struct error *adopt(struct server *s, int fd, enum address_kind kind)
{
	socklen_t len;
	int value;

	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &len) || !value)
		return error_create(ERR_INVALID_PARAMS, "fd %d from systemd is no listening socket", fd);
	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len) || value != SOCK_STREAM)
		return error_create(ERR_INVALID_PARAMS, "fd %d from systemd is no stream socket", fd);
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
		struct error *err = adopt(s, first_fd + i, kind);
		if (err)
			return err;
	}
	return NULL;
}

static void closed(uv_handle_t *handle)
{
	listener_free(handle->data);
}

void listener_close(struct listener *l)
{
	list_remove(&l->link);
	uv_close((uv_handle_t *)&l->poll, closed);
}

static struct error *refuse_user(void)
{
	return error_hint(error_create(ERR_UNAUTHORIZED, "this ompdd serves uid %u only", geteuid()),
			  "start an ompdd of your own");
}

/* The peer of a unix socket, or why it may not use this daemon. */
static struct error *unix_peer(int fd, struct conn_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return refuse_user();
	ret->who.uid = cred.uid;
	ret->who.gid = cred.gid;
	ret->who.pid = cred.pid;
	peer_find_program(&ret->who);
	/* Root may trace us anyway. */
	return cred.uid == geteuid() || cred.uid == 0 || geteuid() == 0 ? NULL : refuse_user();
}

/*
 * Who knows the token acts as us, so who is on this machine must be us, whichever address was connected to: also a root
 * daemon serves root only here. NULL for who is elsewhere.
 */
static struct error *check_local_peer(int fd, const struct allow_users *metrics_for, struct conn_peer *ret)
{
	struct net_end own, peer;
	uid_t uid;

	if (!net_ends(fd, &own, &peer))
		return error_create(ERR_UNAUTHORIZED, "the other end of the connection is gone");
	ret->end = peer;
	struct error *err = net_owner_of_peer(&own, &peer, &uid);
	if (err && !net_is_local(&own, &peer)) {
		error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	ret->who.uid = uid;
	bool http = address_is_http(ret->listener);
	if (uid == geteuid() || uid == 0) {
		/* It would be odd if who let others read them could not. */
		ret->also_metrics = http && metrics_for->n;
		return NULL;
	}
	ret->only_metrics = http && allow_has_user(metrics_for, uid);
	return ret->only_metrics ? NULL : refuse_user();
}

/* What the kernel knows of the groups of a unix socket's peer; 0: nothing. */
static size_t peer_groups(int fd, gid_t groups[MAX_GROUPS])
{
	socklen_t len = MAX_GROUPS * sizeof(groups[0]);

	return getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) ? 0 : len / sizeof(groups[0]);
}

/* Who has shown nothing yet has no place that another could not have. */
static struct error *make_room(struct server *s, uid_t uid)
{
	size_t n = s->n_connections - s->guests.n_leaving;

	struct error *err = session_check_connection(s->session, uid, n - s->guests.n);
	if (!err && n >= LIMIT_CONNECTIONS)
		guests_send_one_away(&s->guests);
	return err;
}

static void accepted(struct listener *l, int fd)
{
	struct server *s = l->server;
	struct conn_peer peer = {.who = {.uid = geteuid(), .gid = getegid()}, .listener = &l->address};
	gid_t groups[MAX_GROUPS];
	size_t n_groups = 0;
	int one = 1;

	s->stats.connections++;
	_cleanup_error_ struct error *refusal = NULL;
	if (l->address.kind == ADDRESS_UNIX) {
		peer.authenticated = true;
		refusal = unix_peer(fd, &peer);
		n_groups = s->n_allow ? peer_groups(fd, groups) : 0;
	} else {
		refusal = check_local_peer(fd, &s->metrics_for, &peer);
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
	/* Who shows the token acts as us (check_local_peer()), whoever it is. */
	if (l->address.kind != ADDRESS_UNIX)
		peer.who.uid = geteuid();
	allow_apply(s->allow, s->n_allow, groups, n_groups, &peer.who);
	allow_limit(l->tier, l->text, &peer.who);
	if (!refusal)
		refusal = make_room(s, peer.who.uid);
	if (refusal) {
		s->stats.connections_refused++;
		log_err(LOG_INFO, refusal, "%s: refused", l->text);
		/* A reason in clear would be none to who waits for TLS. */
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

static void accept_some(uv_poll_t *poll, int status, int events)
{
	struct listener *l = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			accepted(l, fd);
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
	uv_poll_start(&l->poll, UV_READABLE, accept_some);
}
