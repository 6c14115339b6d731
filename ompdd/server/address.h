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
 * Parse @uri into *@ret. The host is an IPv4 address, an IPv6 address in [] or "localhost"; its default is 127.0.0.1.
 * Returns ERR_INVALID_PARAMS with the reason if @uri is not valid.
 */
MUST_USE struct error *address_parse(const char *uri, struct address *ret);

/* Write @a as text into @text of ADDRESS_MAX_TEXT bytes, in the syntax of address_parse(). */
void address_format(const struct address *a, char *text);

/* Return true if only this machine can reach @a: unix, stdio, 127.0.0.0/8 and ::1. */
bool address_is_local(const struct address *a);

/* Return true if @a means all addresses of this machine: 0.0.0.0 and [::]. */
bool address_is_any(const struct address *a);

/* Return true if peers speak HTTP at @a from the first byte on, with or without TLS. */
bool address_is_http(const struct address *a);

/* Return true if peers use TLS at @a. */
bool address_is_encrypted(const struct address *a);

/* Return the port of @a; 0 if @a has no port. */
unsigned int address_port(const struct address *a);

#endif
