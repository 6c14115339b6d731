/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The address of a running ompdd: unix:PATH, {tcp,tls,http,https}:[HOST:]PORT, http+unix:PATH. */
#ifndef OMPDD_LIB_URI_H
#define OMPDD_LIB_URI_H

#include <sys/types.h>

#include "failure.h"

enum uri_kind { URI_UNIX, URI_TCP, URI_TLS, URI_HTTP, URI_HTTPS, URI_HTTP_UNIX };

struct uri {
	enum uri_kind kind;
	char *path; /* for a socket */
	char *host; /* otherwise; an IPv6 address without its brackets */
	char *port; /* decimal, 1 to 65535 */
};

/* Parse @s. Fails with ERR_USAGE and the mistake. The caller frees *@ret with uri_deinit(). */
struct error *uri_parse(const char *s, struct uri *ret);

/* Return the default socket of an ompdd of user @uid, in the folder of socket_folder_find(). Fails as uri_parse(). */
struct error *uri_default(uid_t uid, struct uri *ret);

/*
 * Find the address of the node's daemon: @node_uri (of $OMPDD_NODE_URI), otherwise the address of the unit
 * ompdd.socket. Fails as uri_parse().
 */
struct error *uri_node(const char *node_uri, struct uri *ret);

/* Return "tcp", and so on. */
const char *uri_scheme(const struct uri *uri);
/* Return whether the address uses HTTP, which needs ompdctl-http. */
int uri_is_http(const struct uri *uri);
/* Return whether a program of ours speaks HTTP or TLS for the client. */
int uri_has_bridge(const struct uri *uri);
/* Return whether the client itself authenticates, with rpc.authenticate. With HTTP, the bridge does. */
int uri_needs_authentication(const struct uri *uri);

/* Return the address as a user would write it, for messages; NULL: out of memory. The caller frees it. */
char *uri_format(const struct uri *uri);
void uri_deinit(struct uri *uri);

#endif
