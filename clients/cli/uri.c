/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of addresses. */
#include "uri.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "text.h"

static const char forms[] =
	"an address is unix:PATH, tcp:HOST:PORT, http:HOST:PORT, the last two without HOST, or http+unix:PATH";

static int is_port(const char *s)
{
	size_t len = strspn(s, "0123456789");

	if (!len || len > 5 || s[len])
		return 0;
	long n = strtol(s, NULL, 10);
	return n >= 1 && n <= 65535;
}

static struct failure *parse_unix(const char *path, enum uri_kind kind, struct uri *ret)
{
	if (!*path)
		return failure_create(EXIT_USAGE, "bad_uri", forms, "unix: without a path");
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return failure_create(EXIT_USAGE, "bad_uri", "use a shorter path, or a symbolic link",
				      "the socket's path is longer than %zu bytes: %s",
				      sizeof(((struct sockaddr_un *)0)->sun_path) - 1, path);
	*ret = (struct uri){.kind = kind, .path = text_strdup(path)};
	return NULL;
}

static struct failure *parse_tcp(const char *s, enum uri_kind kind, struct uri *ret)
{
	const char *scheme = kind == URI_HTTP ? "http" : "tcp";
	const char *host = s, *end, *port;

	if (is_port(s)) {
		*ret = (struct uri){.kind = kind, .host = text_strdup("127.0.0.1"), .port = text_strdup(s)};
		return NULL;
	}
	if (*s == '[') {
		host = s + 1;
		end = strchr(host, ']');
		if (!end || end[1] != ':')
			return failure_create(EXIT_USAGE, "bad_uri", forms, "no ]:PORT in %s:%s", scheme, s);
		port = end + 2;
	} else {
		end = strrchr(s, ':');
		if (!end)
			return failure_create(EXIT_USAGE, "bad_uri", forms, "no port in %s:%s", scheme, s);
		if (memchr(s, ':', (size_t)(end - s)))
			return failure_create(EXIT_USAGE, "bad_uri",
					      kind == URI_HTTP ? "write http:[ADDRESS]:PORT"
							       : "write tcp:[ADDRESS]:PORT",
					      "an IPv6 address needs brackets: %s:%s", scheme, s);
		port = end + 1;
	}
	if (end == host)
		return failure_create(EXIT_USAGE, "bad_uri", forms, "no host in %s:%s", scheme, s);
	if (!is_port(port))
		return failure_create(EXIT_USAGE, "bad_uri", "a port is a number from 1 to 65535", "not a port: %s",
				      port);
	*ret = (struct uri){.kind = kind, .host = strndup(host, (size_t)(end - host)), .port = text_strdup(port)};
	return NULL;
}

struct failure *uri_parse(const char *s, struct uri *ret)
{
	if (!strncmp(s, "unix:", 5))
		return parse_unix(s + 5, URI_UNIX, ret);
	if (!strncmp(s, "tcp:", 4))
		return parse_tcp(s + 4, URI_TCP, ret);
	if (!strncmp(s, "http+unix:", 10))
		return parse_unix(s + 10, URI_HTTP_UNIX, ret);
	if (!strncmp(s, "https:", 6))
		return failure_create(EXIT_USAGE, "bad_uri",
				      "ompdd speaks http: itself; for more than loopback use ssh -L",
				      "ompdctl does not speak https: %s", s);
	if (!strncmp(s, "http://", 7)) {
		size_t len = strcspn(s + 7, "/");
		char *host = strndup(s + 7, s[7 + len] && s[8 + len] ? strlen(s + 7) : len);
		struct failure *f = parse_tcp(host, URI_HTTP, ret);

		free(host);
		return f;
	}
	if (!strncmp(s, "http:", 5))
		return parse_tcp(s + 5, URI_HTTP, ret);
	if (*s == '/' || (*s == '.' && strchr(s, '/')))
		return parse_unix(s, URI_UNIX, ret);
	return failure_create(EXIT_USAGE, "bad_uri", forms, "not an address: %s", s);
}

struct failure *uri_default(const char *ompdd_uri, const char *runtime_dir, uid_t uid, struct uri *ret)
{
	struct text path = {0};
	struct failure *f;

	if (ompdd_uri && *ompdd_uri)
		return uri_parse(ompdd_uri, ret);
	/* The same rule as listener_default_address() in ompdd/server. */
	if (runtime_dir && *runtime_dir)
		text_add(&path, runtime_dir);
	else if (uid == 0)
		text_add(&path, "/run");
	else
		text_printf(&path, "/run/user/%u", (unsigned)uid);
	text_add(&path, "/ompdd/ompdd.sock");
	f = parse_unix(path.data, URI_UNIX, ret);
	text_deinit(&path);
	return f;
}

char *uri_format(const struct uri *uri)
{
	struct text t = {0};

	if (uri->path)
		text_printf(&t, "%s:%s", uri->kind == URI_UNIX ? "unix" : "http+unix", uri->path);
	else
		text_printf(&t, strchr(uri->host, ':') ? "%s:[%s]:%s" : "%s:%s:%s",
			    uri->kind == URI_TCP ? "tcp" : "http", uri->host, uri->port);
	return text_take(&t);
}

void uri_deinit(struct uri *uri)
{
	free(uri->path);
	free(uri->host);
	free(uri->port);
	*uri = (struct uri){0};
}
