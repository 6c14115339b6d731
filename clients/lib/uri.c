/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of addresses. */
#include "uri.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/number.h"
#include "base/socket_folder.h"

static const char forms[] =
	"an address is unix:PATH, http+unix:PATH, or tcp:, tls:, http: or https: and HOST:PORT or PORT";

static const char *const schemes[] = {
	[URI_UNIX] = "unix", [URI_TCP] = "tcp",	    [URI_TLS] = "tls",
	[URI_HTTP] = "http", [URI_HTTPS] = "https", [URI_HTTP_UNIX] = "http+unix",
};

const char *uri_scheme(const struct uri *uri)
{
	return schemes[uri->kind];
}

int uri_is_http(const struct uri *uri)
{
	return uri->kind == URI_HTTP || uri->kind == URI_HTTPS || uri->kind == URI_HTTP_UNIX;
}

int uri_has_bridge(const struct uri *uri)
{
	return uri_is_http(uri) || uri->kind == URI_TLS;
}

int uri_needs_authentication(const struct uri *uri)
{
	return uri->kind == URI_TCP || uri->kind == URI_TLS;
}

static int is_port(const char *s)
{
	int64_t port;

	return number_parse(s, 1, UINT16_MAX, &port);
}

/* Set *@ret to @uri, unless the memory for its parts was out. */
static struct error *keep_uri(struct uri uri, struct uri *ret)
{
	if (uri.path || (uri.host && uri.port)) {
		*ret = uri;
		return NULL;
	}
	uri_deinit(&uri);
	return &error_nomem;
}

static struct error *parse_unix(const char *path, enum uri_kind kind, struct uri *ret)
{
	if (!*path)
		return failure_create(ERR_USAGE, "bad_uri", forms, "unix: without a path");
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return failure_create(ERR_USAGE, "bad_uri", "use a shorter path, or a symbolic link",
				      "the socket's path is longer than %zu bytes: %s",
				      sizeof(((struct sockaddr_un *)0)->sun_path) - 1, path);
	return keep_uri((struct uri){.kind = kind, .path = strdup(path)}, ret);
}

static struct error *parse_tcp(const char *s, enum uri_kind kind, struct uri *ret)
{
	const char *scheme = schemes[kind];
	const char *host = s, *end, *port;

	if (is_port(s))
		return keep_uri((struct uri){.kind = kind, .host = strdup("127.0.0.1"), .port = strdup(s)}, ret);
	if (*s == '[') {
		host = s + 1;
		end = strchr(host, ']');
		if (!end || end[1] != ':')
			return failure_create(ERR_USAGE, "bad_uri", forms, "no ]:PORT in %s:%s", scheme, s);
		port = end + 2;
	} else {
		end = strrchr(s, ':');
		if (!end)
			return failure_create(ERR_USAGE, "bad_uri", forms, "no port in %s:%s", scheme, s);
		if (memchr(s, ':', (size_t)(end - s)))
			return failure_create(ERR_USAGE, "bad_uri", "write [ADDRESS]:PORT behind it",
					      "an IPv6 address needs brackets: %s:%s", scheme, s);
		port = end + 1;
	}
	if (end == host)
		return failure_create(ERR_USAGE, "bad_uri", forms, "no host in %s:%s", scheme, s);
	if (!is_port(port))
		return failure_create(ERR_USAGE, "bad_uri", "a port is a number from 1 to 65535", "not a port: %s",
				      port);
	return keep_uri((struct uri){.kind = kind, .host = strndup(host, (size_t)(end - host)), .port = strdup(port)},
			ret);
}

/* Parse "http://HOST:PORT/", the form of a browser. */
static struct error *parse_url(const char *s, enum uri_kind kind, struct uri *ret)
{
	size_t len = strcspn(s, "/");
	char *host = strndup(s, s[len] && s[len + 1] ? strlen(s) : len);
	struct error *f = host ? parse_tcp(host, kind, ret) : &error_nomem;

	free(host);
	return f;
}

struct error *uri_parse(const char *s, struct uri *ret)
{
	static const enum uri_kind nets[] = {URI_TCP, URI_TLS, URI_HTTP, URI_HTTPS};

	if (!strncmp(s, "unix:", 5))
		return parse_unix(s + 5, URI_UNIX, ret);
	if (!strncmp(s, "http+unix:", 10))
		return parse_unix(s + 10, URI_HTTP_UNIX, ret);
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		size_t len = strlen(schemes[nets[i]]);

		if (strncmp(s, schemes[nets[i]], len) != 0 || s[len] != ':')
			continue;
		if (nets[i] >= URI_HTTP && !strncmp(s + len + 1, "//", 2))
			return parse_url(s + len + 3, nets[i], ret);
		return parse_tcp(s + len + 1, nets[i], ret);
	}
	if (*s == '/' || (*s == '.' && strchr(s, '/')))
		return parse_unix(s, URI_UNIX, ret);
	return failure_create(ERR_USAGE, "bad_uri", forms, "not an address: %s", s);
}

struct error *uri_default(uid_t uid, struct uri *ret)
{
	char folder[PATH_MAX], path[PATH_MAX + sizeof("/ompdd.sock")];

	if (!socket_folder_find(uid, folder, sizeof(folder)))
		return failure_usage(NULL, "XDG_RUNTIME_DIR or TMPDIR is longer than a path can be");
	snprintf(path, sizeof(path), "%s/ompdd.sock", folder);
	return parse_unix(path, URI_UNIX, ret);
}

struct error *uri_node(const char *node_uri, struct uri *ret)
{
	return uri_parse(node_uri && *node_uri ? node_uri : "unix:/run/ompdd/ompdd.sock", ret);
}

char *uri_format(const struct uri *uri)
{
	char *text;
	int n;

	if (uri->path)
		n = asprintf(&text, "%s:%s", schemes[uri->kind], uri->path);
	else
		n = asprintf(&text, strchr(uri->host, ':') ? "%s:[%s]:%s" : "%s:%s:%s", schemes[uri->kind], uri->host,
			     uri->port);
	return n < 0 ? NULL : text;
}

void uri_deinit(struct uri *uri)
{
	free(uri->path);
	free(uri->host);
	free(uri->port);
	*uri = (struct uri){0};
}
