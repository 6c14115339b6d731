/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The connection, shared by conn.c, conn_input.c and conn_open.c. */
#ifndef OMPDD_SERVER_CONN_INTERNAL_H
#define OMPDD_SERVER_CONN_INTERNAL_H

#include "rpc/framing.h"
#include "server/conn.h"
#include "server/credential_ask.h"
#include "server/internal.h"
#include "server/tls.h"

/* Bytes per read: few for requests typed by hand, more once a client sends much. */
#define CONN_READ_SMALL 4096
#define CONN_READ_LARGE 65536

enum conn_state {
	CONN_FIRST_BYTE, /* JSON or HTTP: not known yet */
	CONN_OPEN,
	CONN_FLUSHING, /* only sends the queued output */
	CONN_DRAINING, /* all is sent; waits for the peer to close */
	CONN_CLOSED,   /* until the close callbacks have run */
};

struct conn {
	struct list link;
	struct server *server;
	uv_poll_t poll;	    /* of in_fd, and of out_fd if they are equal */
	uv_poll_t out_poll; /* stdio only */
	uv_idle_t pump;	    /* for stdin that epoll does not accept: a file */
	bool has_poll, has_out_poll, has_pump;
	int n_handles; /* not closed yet */
	int events;    /* the events that poll watches */
	int out_events;
	int in_fd, out_fd;	 /* equal, except with stdio */
	int in_flags, out_flags; /* stdio: the original flags */
	bool stdio;
	struct client *client; /* NULL: the connection was refused */
	struct conn_peer peer;
	struct guest guest;
	enum conn_state state;
	bool eof;
	struct tls_session *tls; /* NULL: no TLS */
	struct framing framing;
	size_t read_size;
	struct buf in;
	struct buf out;
	int64_t opened_ms;
	int64_t partial_since_ms; /* when the incomplete message in `in` started; 0: no such message */
	int64_t progress_ms;	  /* when output was last sent, or when the queue started */
	int64_t draining_since_ms;
	struct credential_ask *asked; /* NULL: no request to munged is pending for this client */
};

extern const struct client_ops conn_client_ops;

int64_t conn_now_ms(const struct conn *c);

/*
 * Return true if @c may handle more requests now. A client waits while it has unread answers or a pending request to
 * munged.
 */
bool conn_has_room(const struct conn *c);

/* Watch the events that matter in the present state. */
void conn_update(struct conn *c);

/* Send the queued output, as far as that is possible without blocking. */
void conn_flush(struct conn *c);

/* Continue after an awaited event: output was sent, or munged has answered. */
void conn_resume(struct conn *c);

/* Read the available input, and handle the complete messages. */
void conn_read(struct conn *c);
/* Handle the complete messages of `in`. */
void conn_process(struct conn *c);
/* Report the peer's most likely mistake and finish. @err is about bytes. Takes ownership of @err. */
void conn_parse_failed(struct conn *c, struct error *err);

/* Close after the queued output is sent; reads nothing more. */
void conn_finish(struct conn *c);
/* After the end of input: close when the last request is answered. */
void conn_check_eof(struct conn *c);

/*
 * Close the connection; the only way to do so. The close callback destroys the client later: a failing send within the
 * session may call this function.
 */
void conn_close(struct conn *c);

#endif
