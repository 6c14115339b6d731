/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Connections that speak JSON by lines or with Content-Length. The first byte of a connection distinguishes HTTP. */
#ifndef OMPDD_SERVER_CONN_H
#define OMPDD_SERVER_CONN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/peer.h"

struct conn;
struct server;

/* Serve @fd. Takes ownership of @fd. */
void conn_accept(struct server *s, int fd, const struct conn_peer *peer);
/* Serve stdin and stdout. The end of either stops the server. */
MUST_USE struct error *conn_create_stdio(struct server *s);
/* Send @why to the peer and close. Takes ownership of @fd. */
void conn_refuse(struct server *s, int fd, bool http, const struct error *why);

/* Check the time limits of all connections. Returns true if there are more to watch. */
bool conn_tick_all(struct server *s, int64_t now);
/* Close all connections, each after its queued output is sent; reads nothing more. With @force: closes at once. */
void conn_finish_all(struct server *s, bool force);

#endif
