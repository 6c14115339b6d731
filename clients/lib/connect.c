/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the daemon, connects to it, and authenticates with a token or credential. */
#include "connect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secure_path.h"
#include "credential.h"
#include "token.h"
#include "uri.h"

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
	if (!is_there || st.st_uid == 0 || st.st_uid == geteuid())
		return NULL;
	return failure_create(ERR_CONNECT, "unauthorized", hint,
			      "cannot trust the socket %s: it belongs to another user (uid %u)", path, st.st_uid);
}

static struct error *open_bridge(struct rpc *r, const struct connect_options *o, const struct uri *uri)
{
	struct bridge_options bridge = {
		.with_events = o->with_events,
		/* TLS needs the certificate of the token file also with MUNGE. */
		.with_munge = !o->token_file && credential_is_requested() && uri_is_http(uri) && !uri->path,
	};
	int needs_file = uri->kind != URI_HTTP_UNIX && !(bridge.with_munge && uri->kind == URI_HTTP);
	struct error *f =
		needs_file ? token_find(o->token_file, r->conn.advice, uri_scheme(uri), &bridge.token_file) : NULL;

	return f ? f : spawn_open_bridge(&r->conn, uri, &bridge);
}

static struct error *authenticate_connection(struct rpc *r, const struct connect_options *o)
{
	const char *path;
	char *token;

	if (!o->token_file && credential_is_requested())
		return credential_show(r);
	struct error *f = token_find(o->token_file, r->conn.advice, "tcp", &path);
	if (!f)
		f = token_read(path, &token);
	if (f)
		return f;
	int id = rpc_request_text(r, "rpc.authenticate", "token", token);
	free(token);
	return rpc_wait(r, id, NULL);
}

static struct error *connect_uri(struct rpc *r, const struct connect_options *o, const struct uri *uri)
{
	struct error *f = uri_has_bridge(uri) ? open_bridge(r, o, uri) : connection_open(&r->conn, uri);

	return f || !uri_needs_authentication(uri) ? f : authenticate_connection(r, o);
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
