/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* HTTP through libmicrohttpd: POST /rpc, GET /events, /openrpc.json, /healthz and /metrics. */
#ifndef OMPDD_SERVER_HTTP_H
#define OMPDD_SERVER_HTTP_H

#include <stdint.h>

#include "server/conn.h"

/* Serve @fd, of which nothing has been read yet. Takes it. */
void http_adopt(struct server *s, int fd, const struct conn_peer *peer);

/* Look at the time limits; whether there are more to watch. */
bool http_tick(struct server *s, int64_t now);

/* Close all connections and let go of libmicrohttpd. The session has answered everything before. */
void http_close(struct server *s);

#endif
