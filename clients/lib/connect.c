/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the daemon, connects to it, and authenticates with a token or credential. */
#include "connect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secure_path.h"
#include "credential.h"
#include "uri.h"

#define MAX_TOKEN (64 << 10) /* with certificates */

static int is_trusted(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/*
 * Check that no other user could serve the socket @path. The path comes from the environment, and sudo and su may
 * keep the environment of another user.
 */
static struct error *check_socket(const char *path, const struct advice *advice)
{
	const char *hint = advice->untrusted_socket;
	char resolved[PATH_MAX];
	struct stat st;
	struct error *err = secure_path_resolve(path, resolved);

	if (error_is(err, ERR_UNAUTHORIZED))
		return error_hint(error_wrap(err, "cannot trust the socket %s", path), "%s", hint);
	/* A missing socket is reported when connecting. */
	int is_there = !err && !lstat(resolved, &st);
	error_destroy(err);
	if (!is_there || is_trusted(st.st_uid))
		return NULL;
	return failure_create(ERR_CONNECT, "unauthorized", hint,
			      "cannot trust the socket %s: it belongs to another user (uid %u)", path, st.st_uid);
}

/* Find the file that the user names for the token. Fails with ERR_USAGE if the user names no file. */
static struct error *find_token(const struct connect_options *o, const struct advice *advice, const char *scheme,
				const char **ret)
{
	const char *path = o->token_file ? o->token_file : getenv("OMPDD_TOKEN_FILE");
	struct stat st;

	*ret = path;
	if (path && *path && !o->token_file && !stat(path, &st) && !is_trusted(st.st_uid))
		return failure_create(ERR_CONNECT, "unauthorized", advice->untrusted_token,
				      "cannot trust $OMPDD_TOKEN_FILE: %s belongs to another user (uid %u)", path,
				      st.st_uid);
	if (path && *path)
		return NULL;
	return failure_create(ERR_USAGE, "no_token", advice->no_token, "a %s: address needs a token", scheme);
}

static struct error *open_bridge(struct rpc *r, const struct connect_options *o, const struct uri *uri)
{
	struct bridge_options bridge = {
		.with_events = o->with_events,
		/* TLS needs the certificate of the token file also with MUNGE. */
		.with_munge = !o->token_file && credential_is_requested() && uri_is_http(uri) && !uri->path,
	};
	int needs_file = uri->kind != URI_HTTP_UNIX && !(bridge.with_munge && uri->kind == URI_HTTP);
	struct error *f = needs_file ? find_token(o, r->conn.advice, uri_scheme(uri), &bridge.token_file) : NULL;

	return f ? f : spawn_open_bridge(&r->conn, uri, &bridge);
}

/* Read the first word of the file @path. The caller frees *@ret. */
static struct error *read_token(const char *path, char **ret)
{
	struct error *f = NULL;
	struct buf t = {0};
	char chunk[4096];
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && !f && t.len <= MAX_TOKEN &&
	       ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR))) {
		if (n > 0)
			f = buf_append(&t, chunk, (size_t)n);
	}
	if (t.len > MAX_TOKEN) {
		n = -1;
		errno = EFBIG;
	}
	if (!f && n < 0)
		f = failure_create(ERR_CONNECT, "no_token", NULL, "cannot read the token in %s: %m", path);
	if (!f)
		f = buf_append(&t, "", 0);
	if (fd >= 0)
		close(fd);
	if (f) {
		buf_deinit(&t);
		return f;
	}
	t.data[strcspn(t.data, " \t\r\n")] = 0;
	*ret = t.data;
	return NULL;
}

static struct error *authenticate_connection(struct rpc *r, const struct connect_options *o)
{
	const char *path;
	char *token;

	if (!o->token_file && credential_is_requested())
		return credential_show(r);
	struct error *f = find_token(o, r->conn.advice, "tcp", &path);
	if (!f)
		f = read_token(path, &token);
	if (f)
		return f;
	int id = rpc_request_text(r, "rpc.authenticate", "token", token);
	free(token);
	return rpc_wait(r, id, NULL);
}

static struct error *connect_uri(struct rpc *r, const struct connect_options *o, const struct uri *uri)
{
	int needs_token = uri->kind == URI_TCP || uri->kind == URI_TLS;
	int has_bridge = uri_is_http(uri) || uri->kind == URI_TLS;
	struct error *f = has_bridge ? open_bridge(r, o, uri) : connection_open(&r->conn, uri);

	return f || !needs_token ? f : authenticate_connection(r, o);
}

struct error *connect_daemon(struct rpc *r, const struct connect_options *o, int *is_elsewhere_ret)
{
	const char *named = o->uri ? o->uri : getenv("OMPDD_URI");
	struct uri uri = {0};
	struct error *f = named && *named ? uri_parse(named, &uri) : uri_default(geteuid(), &uri);

	/* Without a daemon of the user's own, use the node's daemon. */
	if (!f && !(named && *named)) {
		struct uri node = {0};

		f = uri_node(getenv("OMPDD_NODE_URI"), &node);
		if (!f && (!node.path || access(node.path, F_OK) == 0) && !connection_is_served(uri.path)) {
			uri_deinit(&uri);
			uri = node;
		} else {
			uri_deinit(&node);
		}
	}
	if (!f && !o->uri && uri.path)
		f = check_socket(uri.path, r->conn.advice);
	if (!f) {
		*is_elsewhere_ret = !uri.path;
		f = connect_uri(r, o, &uri);
	}
	uri_deinit(&uri);
	return f;
}
