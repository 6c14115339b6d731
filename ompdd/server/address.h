/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The URIs of --listen: unix:PATH, {tcp,tls,http,https}:[HOST:]PORT and stdio. Pure. */
#ifndef OMPDD_SERVER_ADDRESS_H
#define OMPDD_SERVER_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"

/* The longest text of an address: "https:[v6]:65535" and "unix:" with sun_path. */
#define ADDRESS_MAX_TEXT 160

enum address_kind { ADDRESS_UNIX, ADDRESS_TCP, ADDRESS_HTTP, ADDRESS_TLS, ADDRESS_HTTPS, ADDRESS_STDIO };

struct address {
	enum address_kind kind;
	union {
		struct sockaddr sa;
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} u;
	socklen_t len; /* of u; 0 with stdio */
};

/*
 * Parse @uri. The host is an IPv4 address, an IPv6 address in [] or "localhost"; without one it is
 * 127.0.0.1. ERR_INVALID_PARAMS says what is wrong with it.
 */
MUST_USE struct error *address_parse(const char *uri, struct address *ret);

/* The text of @a, as address_parse() takes it, into @text of ADDRESS_MAX_TEXT bytes. */
void address_format(const struct address *a, char *text);

/* Whether only this machine can reach it: unix, stdio, 127.0.0.0/8 and ::1. */
bool address_is_local(const struct address *a);

/* Whether it stands for all addresses of this machine: 0.0.0.0 and [::]. */
bool address_is_any(const struct address *a);

/* Whether HTTP is what is spoken there from the first byte on, over TLS or not. */
bool address_is_http(const struct address *a);

/* Whether TLS is. */
bool address_is_encrypted(const struct address *a);

/* 0 where there is none. */
unsigned int address_port(const struct address *a);

#endif
