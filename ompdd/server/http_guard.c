/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Access rules for HTTP: Host, Origin, Sec-Fetch-Site and the bearer token. */
#include "server/http_guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum http_guess http_guard_guess(const char *text, size_t len)
{
	static const char *const methods[] = {"GET ",  "POST ",	  "PUT ",     "PATCH ",
					      "HEAD ", "DELETE ", "OPTIONS ", "TRACE "};
	enum http_guess guess = GUESS_NOT_HTTP;

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		size_t n = strlen(methods[i]);

		if (len >= n && !memcmp(text, methods[i], n))
			return GUESS_HTTP;
		if (len < n && !memcmp(text, methods[i], len))
			guess = GUESS_MAYBE_HTTP;
	}
	return guess;
}

static bool is_host(const char *host, const char *name, unsigned int port)
{
	char with_port[ADDRESS_MAX_TEXT];

	if ((port == 80 || port == 443) && !strcasecmp(host, name))
		return true;
	snprintf(with_port, sizeof(with_port), "%s:%u", name, port);
	return !strcasecmp(host, with_port);
}

/* Return true if @host is any literal address with @port: no resolver can change its meaning. */
static bool is_any_address(const char *host, unsigned int port)
{
	const char *colon = strrchr(host, ':');
	bool has_port = colon && !strchr(colon, ']');
	char uri[ADDRESS_MAX_TEXT];
	struct address a;

	int n = snprintf(uri, sizeof(uri), has_port ? "http:%s" : "http:%s:80", host);
	if (n < 0 || (size_t)n >= sizeof(uri))
		return false;
	struct error *err = address_parse(uri, &a);
	bool is_one = !err && address_port(&a) == port;
	error_destroy(err);
	return is_one;
}

bool http_guard_host(const char *host, const struct address *bound)
{
	/* Only literals: a resolver may be made to answer even for "localhost6". */
	static const char *const names[] = {"127.0.0.1", "[::1]", "localhost"};
	char text[ADDRESS_MAX_TEXT];

	if (bound->kind == ADDRESS_UNIX)
		return true;
	if (!host)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_host(host, names[i], address_port(bound)))
			return true;
	}
	if (address_is_any(bound))
		return is_any_address(host, address_port(bound));
	address_format(bound, text);
	char *name = strchr(text, ':') + 1;
	*strrchr(name, ':') = '\0';
	return is_host(host, name, address_port(bound));
}

bool http_guard_origin(const char *origin, const char *const *allowed, size_t n_allowed)
{
	for (size_t i = 0; i < n_allowed; i++) {
		if (strcmp(origin, "null") && !strcasecmp(origin, allowed[i]))
			return true;
	}
	return false;
}

bool http_guard_own_origin(const char *origin, const char *host, const struct address *bound)
{
	const char *scheme = address_is_encrypted(bound) ? "https://" : "http://";

	if (bound->kind == ADDRESS_UNIX || !host || strncmp(origin, scheme, strlen(scheme)) != 0)
		return false;
	return !strcasecmp(origin + strlen(scheme), host);
}

bool http_guard_site(const char *site)
{
	return !site || !strcasecmp(site, "same-origin") || !strcasecmp(site, "none");
}

const char *http_guard_credentials(const char *value, const char *scheme)
{
	size_t len = strlen(scheme);

	if (!value || strncasecmp(value, scheme, len) || value[len] != ' ')
		return NULL;
	return value + len + strspn(value + len, " ");
}

bool http_guard_is_json(const char *content_type)
{
	static const char json[] = "application/json";

	if (!content_type || strncasecmp(content_type, json, sizeof(json) - 1))
		return false;
	const char *rest = content_type + sizeof(json) - 1;
	return *rest == '\0' || *rest == ';' || *rest == ' ';
}
