/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the daemon, connects to it, and authenticates with a token or credential. */
#include "connect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

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
static struct error *check_socket(const char *path)
{
	static const char hint[] = "-s unix:PATH connects anyway; or unset XDG_RUNTIME_DIR, TMPDIR, OMPDD_URI and "
				   "OMPDD_NODE_URI";
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
static struct error *find_token(const struct args *args, const char *scheme, const char **ret)
{
	const char *path = args->token_file ? args->token_file : getenv("OMPDD_TOKEN_FILE");
	struct stat st;

	*ret = path;
	if (path && *path && !args->token_file && !stat(path, &st) && !is_trusted(st.st_uid))
		return failure_create(ERR_CONNECT, "unauthorized", "--token-file FILE uses it anyway",
				      "cannot trust $OMPDD_TOKEN_FILE: %s belongs to another user (uid %u)", path,
				      st.st_uid);
	if (path && *path)
		return NULL;
	return failure_create(ERR_USAGE, "no_token",
			      "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file with ompdd's token",
			      "a %s: address needs a token", scheme);
}

static struct error *open_bridge(struct rpc *r, const struct args *args, const struct uri *uri)
{
	struct bridge_options o = {
		.with_events = args->command == COMMAND_EVENTS || args_command_controls(args->command),
		/* TLS needs the certificate of the token file also with MUNGE. */
		.with_munge = !args->token_file && credential_is_requested() && uri_is_http(uri) && !uri->path,
	};
	int needs_file = uri->kind != URI_HTTP_UNIX && !(o.with_munge && uri->kind == URI_HTTP);
	struct error *f = needs_file ? find_token(args, uri_scheme(uri), &o.token_file) : NULL;

	return f ? f : spawn_open_bridge(&r->conn, uri, &o);
}

static struct error *authenticate_connection(struct rpc *r, const struct args *args)
{
	struct json_object *params;
	const char *path;

	if (!args->token_file && credential_is_requested())
		return credential_show(r);
	struct error *f = find_token(args, "tcp", &path);
	if (f)
		return f;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *token = fd >= 0 ? text_read(fd, MAX_TOKEN) : NULL;
	if (!token)
		f = failure_create(ERR_CONNECT, "no_token", NULL, "cannot read the token in %s: %m", path);
	else
		f = NULL;
	if (fd >= 0)
		close(fd);
	if (f)
		return f;
	token[strcspn(token, " \t\r\n")] = 0;
	params = json_object_new_object();
	json_object_object_add(params, "token", json_object_new_string(token));
	free(token);
	return rpc_wait(r, rpc_request(r, "rpc.authenticate", params), NULL);
}

static struct error *connect_uri(struct rpc *r, const struct args *args, const struct uri *uri)
{
	int needs_token = uri->kind == URI_TCP || uri->kind == URI_TLS;
	int has_bridge = uri_is_http(uri) || uri->kind == URI_TLS;
	struct error *f = has_bridge ? open_bridge(r, args, uri) : connection_open(&r->conn, uri);

	return f || !needs_token ? f : authenticate_connection(r, args);
}

struct error *connect_running(struct rpc *r, const struct args *args, int *is_elsewhere_ret)
{
	const char *named = args->uri ? args->uri : getenv("OMPDD_URI");
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
	if (!f && !args->uri && uri.path)
		f = check_socket(uri.path);
	if (!f) {
		*is_elsewhere_ret = !uri.path;
		f = connect_uri(r, args, &uri);
	}
	uri_deinit(&uri);
	return f;
}
