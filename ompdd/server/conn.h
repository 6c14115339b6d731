/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Connections that speak JSON by lines or with Content-Length; the first byte of others tells
 * HTTP.
 */
#ifndef OMPDD_SERVER_CONN_H
#define OMPDD_SERVER_CONN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/net_owner.h"
#include "session/session.h"

struct address;
struct conn;
struct server;

/* Who is at the other end. */
struct conn_peer {
	struct session_peer who;
	bool authenticated;
	bool only_metrics;		/* another user of this machine, who may read /metrics without a token */
	bool also_metrics;		/* ourselves or root, who need no token for /metrics where others need none */
	struct net_end end;		/* of what came over the network; else all zeroes */
	const struct address *listener; /* outlives the connection's beginning only */
};

/* Serve @fd. Takes it. */
void conn_accept(struct server *s, int fd, const struct conn_peer *peer);
/* Serve stdin and stdout; their end stops the server. */
MUST_USE struct error *conn_create_stdio(struct server *s);
/* Tell the peer @why, and close. Takes @fd. */
void conn_refuse(struct server *s, int fd, bool http, const struct error *why);

/* Look at the time limits of all connections; whether there are more to watch. */
bool conn_tick_all(struct server *s, int64_t now);
/* Close all, each as soon as what is queued is sent; nothing more is read. With @force: at once. */
void conn_finish_all(struct server *s, bool force);

#endif
