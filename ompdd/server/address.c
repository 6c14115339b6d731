/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The URIs of --listen: unix:PATH, {tcp,tls,http,https}:[HOST:]PORT and stdio. */
#include "server/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char *const prefixes[] = {
	[ADDRESS_UNIX] = "unix:", [ADDRESS_TCP] = "tcp:",     [ADDRESS_HTTP] = "http:",
	[ADDRESS_TLS] = "tls:",	  [ADDRESS_HTTPS] = "https:", [ADDRESS_STDIO] = "stdio",
};

static struct error *refuse_address(const char *uri, const char *why)
{
	struct error *err = error_create(ERR_INVALID_PARAMS, "--listen %s: %s", uri, why);

	return error_hint(err, "use unix:PATH, stdio, or tcp:, tls:, http: or https: and [HOST:]PORT");
}

static bool parse_port(const char *text, in_port_t *ret)
{
	int64_t port;

	if (!number_parse(text, 0, UINT16_MAX, &port))
		return false;
	*ret = htons((in_port_t)port);
	return true;
}

static bool parse_host(const char *host, size_t len, in_port_t port, struct address *a)
{
	char text[INET6_ADDRSTRLEN];

	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text[len - 1] = '\0';
		a->u.in6.sin6_family = AF_INET6;
		a->u.in6.sin6_port = port;
		a->len = sizeof(a->u.in6);
		return inet_pton(AF_INET6, text + 1, &a->u.in6.sin6_addr) == 1;
	}
	a->u.in.sin_family = AF_INET;
	a->u.in.sin_port = port;
	a->len = sizeof(a->u.in);
	/* No other host names: the address of a name may change between two look-ups. */
	return inet_pton(AF_INET, strcmp(text, "localhost") ? text : "127.0.0.1", &a->u.in.sin_addr) == 1;
}

struct error *address_parse(const char *uri, struct address *ret)
{
	struct address a = {0};

	if (!strcmp(uri, "stdio")) {
		ret->kind = ADDRESS_STDIO;
		ret->len = 0;
		return NULL;
	}
	if (!strncmp(uri, prefixes[ADDRESS_UNIX], 5)) {
		const char *path = uri + 5;

		if (!*path)
			return refuse_address(uri, "the path is missing");
		if (strlen(path) >= sizeof(a.u.un.sun_path))
			return refuse_address(uri, "the path is too long for a socket");
		a.kind = ADDRESS_UNIX;
		a.u.un.sun_family = AF_UNIX;
		memcpy(a.u.un.sun_path, path, strlen(path) + 1);
		a.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
		*ret = a;
		return NULL;
	}
	const char *rest = NULL;
	for (enum address_kind kind = ADDRESS_TCP; kind <= ADDRESS_HTTPS && !rest; kind++) {
		if (strncmp(uri, prefixes[kind], strlen(prefixes[kind])) != 0)
			continue;
		a.kind = kind;
		rest = uri + strlen(prefixes[kind]);
	}
	if (!rest)
		return refuse_address(uri, "not an address");
	const char *colon = strrchr(rest, ':');
	in_port_t port;
	if (!parse_port(colon ? colon + 1 : rest, &port))
		return refuse_address(uri, "the port must be a number from 0 to 65535");
	const char *host = colon ? rest : "127.0.0.1";
	if (!parse_host(host, colon ? (size_t)(colon - rest) : strlen(host), port, &a))
		return refuse_address(uri, "the host must be an IPv4 address, an IPv6 address in [] or localhost");
	*ret = a;
	return NULL;
}

void address_format(const struct address *a, char *text)
{
	char host[INET6_ADDRSTRLEN] = "";

	switch (a->kind) {
	case ADDRESS_STDIO:
		snprintf(text, ADDRESS_MAX_TEXT, "stdio");
		return;
	case ADDRESS_UNIX:
		snprintf(text, ADDRESS_MAX_TEXT, "unix:%s", a->u.un.sun_path);
		return;
	case ADDRESS_TCP:
	case ADDRESS_HTTP:
	case ADDRESS_TLS:
	case ADDRESS_HTTPS:
		break;
	}
	if (a->u.sa.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->u.in6.sin6_addr, host, sizeof(host));
		snprintf(text, ADDRESS_MAX_TEXT, "%s[%s]:%u", prefixes[a->kind], host, address_port(a));
	} else {
		inet_ntop(AF_INET, &a->u.in.sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_MAX_TEXT, "%s%s:%u", prefixes[a->kind], host, address_port(a));
	}
}

bool address_is_local(const struct address *a)
{
	if (a->kind == ADDRESS_UNIX || a->kind == ADDRESS_STDIO)
		return true;
	if (a->u.sa.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&a->u.in6.sin6_addr);
	return ntohl(a->u.in.sin_addr.s_addr) >> 24 == 127;
}

bool address_is_any(const struct address *a)
{
	if (a->kind == ADDRESS_UNIX || a->kind == ADDRESS_STDIO)
		return false;
	if (a->u.sa.sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&a->u.in6.sin6_addr);
	return a->u.in.sin_addr.s_addr == htonl(INADDR_ANY);
}

bool address_is_http(const struct address *a)
{
	return a->kind == ADDRESS_HTTP || a->kind == ADDRESS_HTTPS;
}

bool address_is_encrypted(const struct address *a)
{
	return a->kind == ADDRESS_TLS || a->kind == ADDRESS_HTTPS;
}

unsigned int address_port(const struct address *a)
{
	if (a->kind == ADDRESS_UNIX || a->kind == ADDRESS_STDIO)
		return 0;
	return ntohs(a->u.sa.sa_family == AF_INET6 ? a->u.in6.sin6_port : a->u.in.sin_port);
}
