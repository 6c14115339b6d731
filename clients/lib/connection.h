/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A connection to a running or private daemon. It sends and receives lines, with a deadline. */
#ifndef OMPDD_LIB_CONNECTION_H
#define OMPDD_LIB_CONNECTION_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "advice.h"
#include "base/buf.h"
#include "failure.h"
#include "uri.h"

/* Longest accepted line: twice what a daemon may queue for one client. */
#define CONN_MAX_LINE (64U << 20)

struct connection {
	int fd;		     /* non-blocking */
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	int64_t timeout_ms;  /* of each call */
	const struct advice *advice;
	struct buf in;
	size_t taken;	/* bytes of the last line that was returned */
	size_t scanned; /* bytes without a newline */
	char *name;	/* for messages: its URI, or the path of the private ompdd */
	/* The folder of ompdd-worker, ompdctl-tls and ompdctl-http; NULL: beside our own executable. Borrowed. */
	const char *programs;
	/* For a private daemon only (spawn.c); otherwise pid is 0 and log_fd is -1. */
	pid_t pid;
	int log_fd;	/* its stderr */
	struct buf log; /* its last part */
	int log_copy;	/* write its log there, too; -1: not */
	int is_bridge;	/* the started program is ompdctl-http or ompdctl-tls, with the daemon behind it */
	int is_http;	/* the started program is ompdctl-http */
	/* May be NULL. Waiting ends once the value is not 0. The signals that set it are blocked except while we
	 * wait. */
	const volatile sig_atomic_t *interrupted;
	sigset_t waiting_mask;
};

/*
 * Prepare @c, with @timeout_ms for each call. @log_copy: a descriptor for the log of a private daemon, or -1. Every
 * other function requires a prepared or opened connection.
 */
void connection_init(struct connection *c, const struct advice *advice, int64_t timeout_ms, int log_copy);

/* Return whether a process listens at the unix socket @path. A socket file may remain after its daemon was killed or
 * its unit was stopped. */
int connection_is_served(const char *path);

/* Connect to a running daemon. Fails with ERR_CONNECT and the address and reason. */
struct error *connection_open(struct connection *c, const struct uri *uri);

/* Send all of @out, and remove from it what has been sent, also after an error. */
struct error *connection_send(struct connection *c, struct buf *out);

/* Receive the next line without its newline, valid until the next call. Fails with ERR_CONNECT when no more lines
 * can come, or with the name "timeout". */
struct error *connection_receive(struct connection *c, const char **line_ret, size_t *len_ret);
/* Return whether a whole line has arrived that connection_receive() has not returned. */
bool connection_has_line(const struct connection *c);
/* Return the failure after the deadline. */
struct error *connection_time_out(const struct connection *c);
/* Return whether @f, which may be NULL, is of connection_time_out(). */
bool connection_is_timeout(const struct error *f);

/* Close the connection. Waits until a private daemon has exited, and kills it if it does not exit by itself. */
void connection_close(struct connection *c);

/*
 * Start @ompdd (NULL: the one beside ompdctl's own executable, else the one in $PATH) with
 * --listen stdio and @options on a socket pair.
 */
struct error *spawn_open(struct connection *c, const char *ompdd, const char *const *options, size_t n_options);

/* Return the path of the program @name in the folder of our own executable, or in our libexec folder; NULL: not
 * present. The caller frees it. */
char *spawn_beside_us(const char *name);
/* Return the path of a readable file, relative to the folder of our own executable; NULL: not present. The caller
 * frees it. */
char *spawn_file_beside_us(const char *name);

/*
 * Start our ompdd-worker without a daemon. It has the same methods, and its target's id is t1. @file: an open file for
 * its method target.dump; -1: none. Returns 0 if there is no worker or it cannot be started.
 */
int spawn_open_worker(struct connection *c, int file);

struct bridge_options {
	const char *token_file; /* with the token, and for TLS the daemon's certificate; NULL: none */
	int with_munge;		/* HTTP: send MUNGE credentials instead of the token */
	int with_events;	/* HTTP: pass on events, too */
};

/*
 * Start ompdctl-http or ompdctl-tls, which passes lines on to the daemon at @uri. Its own errors arrive as errors
 * without an id.
 */
struct error *spawn_open_bridge(struct connection *c, const struct uri *uri, const struct bridge_options *o);

/* Read what the private daemon has written to its stderr. */
void spawn_read_log(struct connection *c);

/* Return the failure for a private daemon that closed its side: its exit status and the end of its log. */
struct error *spawn_died(struct connection *c);

/* Wait until the private daemon has exited. EOF requests its exit, then signals do. */
void spawn_end(struct connection *c);

#endif
