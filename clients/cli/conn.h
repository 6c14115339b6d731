/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A connection to a daemon, running or private: lines out, lines in, never beyond a deadline. */
#ifndef OMPDD_CLI_CONN_H
#define OMPDD_CLI_CONN_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "failure.h"
#include "text.h"
#include "uri.h"

/* The longest line that is accepted; twice what a daemon may queue for one client. */
#define CONN_MAX_LINE (64U << 20)

struct conn {
	int fd;		     /* non-blocking */
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	long timeout_s;	     /* for messages */
	struct text in;
	size_t start, scanned; /* of in: the next line, and how far no newline was found */
	char *name;	       /* for messages: its URI, or the path of the private ompdd */
	/* Of a private daemon only (spawn.c); else pid is 0 and log_fd -1. */
	pid_t pid;
	int log_fd;	 /* its stderr */
	struct text log; /* the end of it */
	int verbose;	 /* pass its log on */
	int is_bridge;	 /* what was started is ompdctl-http or -tls, and the daemon behind it */
	int is_http;	 /* it is ompdctl-http */
	/* Not NULL: once it is not 0, nothing is waited for any more. Signals that set it are blocked but while we
	 * wait. */
	const volatile sig_atomic_t *interrupted;
	sigset_t waiting_mask;
};

/* Prepare; every conn_* function but this one wants a prepared or opened connection. */
void conn_init(struct conn *c, long timeout_s, int verbose);

/* Whether somebody listens at the unix socket @path: one whose daemon was killed, or whose unit was stopped, may lie
 * there still. */
int conn_is_served(const char *path);

/* Connect to a running daemon. EXIT_CONNECT failures say where and why not. */
struct failure *conn_open(struct conn *c, const struct uri *uri);

/* Send @len bytes, all of them. */
struct failure *conn_send(struct conn *c, const char *data, size_t len);

/* The next line without its newline, valid until the next call. EXIT_CONNECT when there will be
 * none. */
struct failure *conn_receive(struct conn *c, const char **line_ret, size_t *len_ret);

/* Close; a private daemon is seen to its end, by force if it does not end by itself. */
void conn_close(struct conn *c);

/*
 * Start @ompdd (NULL: the one beside ompdctl's own executable, else the one in $PATH) with
 * --listen stdio and @options on a socket pair.
 */
struct failure *spawn_open(struct conn *c, const char *ompdd, const char *const *options, size_t n_options);

/* @name as seen from the folder of our own executable, or among the programs that belong to it; NULL: it is not there.
 * The caller frees it. */
char *spawn_beside_us(const char *name);
/* A file to read, as seen from the folder of our own executable; NULL: it is not there. The caller frees it. */
char *spawn_file_beside_us(const char *name);

/*
 * Start the ompdd-worker that belongs to us, without a daemon before it: its methods are the same, its target's id is
 * t1. 0: there is none, or it cannot be started.
 */
int spawn_open_worker(struct conn *c);

struct bridge_options {
	const char *token_file; /* with the token, and with TLS the daemon's certificate; NULL: none */
	int with_munge;		/* HTTP: credentials of MUNGE in the token's place */
	int with_events;	/* HTTP: what happens is told, too */
};

/*
 * Start ompdctl-http or ompdctl-tls, which passes lines on to the daemon at @uri. What it has to say itself comes as an
 * error without an id.
 */
struct failure *spawn_open_bridge(struct conn *c, const struct uri *uri, const struct bridge_options *o);

/* Read what the private daemon has written to its stderr. */
void spawn_read_log(struct conn *c);

/* The failure for a private daemon that closed its side: how it ended, and its last words. */
struct failure *spawn_died(struct conn *c);

/* Wait until the private daemon has ended: it is asked to by EOF, then by signals. */
void spawn_end(struct conn *c);

int64_t conn_now_ms(void);

#endif
