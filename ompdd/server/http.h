/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* HTTP through libmicrohttpd: POST /rpc, GET /events, /openrpc.json, /healthz and /metrics. */
#ifndef OMPDD_SERVER_HTTP_H
#define OMPDD_SERVER_HTTP_H

#include <stdint.h>

#include "server/conn.h"

/* Serve @fd, from which no byte has been read yet. Takes ownership of @fd. */
void http_adopt(struct server *s, int fd, const struct conn_peer *peer);

/* Check the time limits. Returns true if there are more to watch. */
bool http_tick(struct server *s, int64_t now);

/* Close all connections and free libmicrohttpd. The session must have answered all requests before. */
void http_close(struct server *s);

#endif
