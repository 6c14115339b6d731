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
#include "server/peer.h"

struct conn;
struct server;

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
