/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The server's own struct, which listeners, connections, HTTP and workers share. */
#ifndef OMPDD_SERVER_INTERNAL_H
#define OMPDD_SERVER_INTERNAL_H

#include <uv.h>

#include "base/list.h"
#include "server/credential.h"
#include "server/allow.h"
#include "server/guest.h"
#include "server/server.h"
#include "session/limits.h"
#include "session/session.h"

/* How often time limits are looked at, while there are any. */
#define SERVER_TICK_MS 100

/* Converts a negative libuv return code. */
#define error_uv(rc, ...) error_create_errno(-(rc), __VA_ARGS__)

struct http;
struct tls;

struct server_stats {
	uint64_t connections;
	uint64_t connections_refused;
	uint64_t bytes_in;
	uint64_t bytes_out;
};

struct server {
	uv_loop_t loop;
	uv_poll_t tick; /* of tick_fd */
	int tick_fd;
	uv_timer_t idle;
	uv_signal_t sigterm;
	uv_signal_t sigint;
	uv_signal_t sigchld;
	uv_signal_t sighup;
	struct credential_checker credentials; /* with options->auth */
	struct credential_ask **asked;	       /* what munged said of the client whose request is handled */
	bool ticking;
	bool stopping;
	int64_t stopping_since_ms;
	bool closing; /* nothing is left: the handles above are being closed */
	bool stdio;   /* stdout is the protocol */
	const struct server_options *options;
	const struct server_source *source; /* NULL: there is no reload */
	struct session *session;
	char *token;
	struct allow_rule allow[ALLOW_MAX_RULES];
	size_t n_allow;
	struct allow_users metrics_for; /* who may read /metrics, and nothing else, without a token */
	enum method_tier stdio_tier;
	int token_fd;	 /* of the token file, locked; -1: there is none */
	struct tls *tls; /* NULL: nothing listens with it */
	struct list listeners;
	struct list conns;
	struct list workers;
	struct http *http;    /* NULL until the first HTTP connection */
	size_t n_connections; /* conns with a client, and HTTP connections */
	struct guests guests; /* those of them that came over the network and have shown nothing yet */
	struct server_stats stats;
};

/* Time limits are to be watched from now on. */
void server_arm(struct server *s);
/* Stop: no new connections, answer what waits, end the workers; the loop ends when all are gone. */
void server_stop(struct server *s);
/* Something that kept the loop running is gone. */
void server_check_done(struct server *s);
/* Called where a connection begins and ends; limits and --exit-when. */
void server_connection_opened(struct server *s);
void server_connection_closed(struct server *s);

#endif
