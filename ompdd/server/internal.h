/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The server's own struct, shared by listeners, connections, HTTP and workers. */
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

/* The interval between checks of time limits, while there are any. */
#define SERVER_TICK_MS 100

/* Create an error from a negative libuv return code. */
#define error_uv(rc, ...) error_create_errno(-(rc), __VA_ARGS__)

struct http;
struct rules;
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
	bool ticking;
	bool stopping;
	int64_t stopping_since_ms;
	bool closing; /* all is done: the handles above are being closed */
	bool stdio;   /* stdout is the protocol */
	const struct server_options *options;
	const struct server_source *source; /* NULL: no reload */
	struct session *session;
	char *token;
	struct allow_rule allow[ALLOW_MAX_RULES];
	size_t n_allow;
	struct allow_users metrics_for; /* users that may read /metrics without a token, and nothing else */
	enum method_tier stdio_tier;
	int token_fd;	 /* the locked token file; -1: no file */
	struct tls *tls; /* NULL: no listener uses TLS */
	struct list listeners;
	struct list conns;
	struct list workers;
	struct http *http;    /* NULL until the first HTTP connection */
	struct rules *rules;  /* NULL: the options have no rules */
	size_t n_connections; /* conns with a client, and HTTP connections */
	struct guests guests; /* the network connections among them that have not authenticated yet */
	struct server_stats stats;
	/* Accept no connections, answer pending requests, end the workers. The loop ends when all are closed. */
	void (*stop)(struct server *s);
};

/* lifetime.c */

/* Start and end watching time limits. */
void server_arm(struct server *s);
void server_disarm(struct server *s);
/* Start the time after which a daemon without connections ends, if the options say so. */
void server_start_idle(struct server *s);
/* Close the handles of struct server; the loop ends when all others are closed, too. */
void server_close_handles(struct server *s);
/* Check whether the loop can end, after an object that kept it running is gone. */
void server_check_done(struct server *s);
/* Called when a connection starts and ends; implements limits and --exit-when. */
void server_connection_opened(struct server *s);
void server_connection_closed(struct server *s);

#endif
