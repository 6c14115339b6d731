/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The address of a running ompdd: unix:PATH, {tcp,tls,http,https}:[HOST:]PORT, http+unix:PATH. */
#ifndef OMPDD_CLI_URI_H
#define OMPDD_CLI_URI_H

#include <sys/types.h>

#include "failure.h"

enum uri_kind { URI_UNIX, URI_TCP, URI_TLS, URI_HTTP, URI_HTTPS, URI_HTTP_UNIX };

struct uri {
	enum uri_kind kind;
	char *path; /* of a socket */
	char *host; /* not of a socket; an IPv6 address without its brackets */
	char *port; /* decimal, 1 to 65535 */
};

/* Parse @s; EXIT_USAGE failures say what is wrong. *@ret is freed with uri_deinit(). */
struct failure *uri_parse(const char *s, struct uri *ret);

/*
 * The address when the user names none: @ompdd_uri (of $OMPDD_URI), else the socket at which an ompdd of user @uid
 * listens by itself, which is below @runtime_dir (of $XDG_RUNTIME_DIR) if that is set. Both may be NULL. Fails as
 * uri_parse().
 */
struct failure *uri_default(const char *ompdd_uri, const char *runtime_dir, uid_t uid, struct uri *ret);

/*
 * The address of the node's daemon: @node_uri (of $OMPDD_NODE_URI), else where the unit ompdd.socket listens. Fails as
 * uri_parse().
 */
struct failure *uri_node(const char *node_uri, struct uri *ret);

/* "tcp", and so on. */
const char *uri_scheme(const struct uri *uri);
/* Whether HTTP is spoken there, and so ompdctl-http asked. */
int uri_is_http(const struct uri *uri);

/* Write it as the user would, for messages. The caller frees it. */
char *uri_format(const struct uri *uri);
void uri_deinit(struct uri *uri);

#endif
