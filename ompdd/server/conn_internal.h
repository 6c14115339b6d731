/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A connection, which conn.c, conn_input.c and conn_open.c share. */
#ifndef OMPDD_SERVER_CONN_INTERNAL_H
#define OMPDD_SERVER_CONN_INTERNAL_H

#include "rpc/framing.h"
#include "server/conn.h"
#include "server/credential_ask.h"
#include "server/internal.h"
#include "server/tls.h"

/* Read at once: little for requests by hand, more once somebody sends much. */
#define CONN_READ_SMALL 4096
#define CONN_READ_LARGE 65536

enum conn_state {
	CONN_FIRST_BYTE, /* not known yet whether it is HTTP */
	CONN_OPEN,
	CONN_FLUSHING, /* only what is queued is sent */
	CONN_DRAINING, /* all is sent; waiting for the peer to close */
	CONN_CLOSED,   /* until the close callbacks have come */
};

struct conn {
	struct list link;
	struct server *server;
	uv_poll_t poll;	    /* of in_fd, and of out_fd when it is the same */
	uv_poll_t out_poll; /* stdio only */
	uv_idle_t pump;	    /* stdin that epoll does not take: a file */
	bool has_poll, has_out_poll, has_pump;
	int n_handles; /* still to be closed */
	int events;    /* that poll watches */
	int out_events;
	int in_fd, out_fd;	 /* the same, except with stdio */
	int in_flags, out_flags; /* stdio: as they were */
	bool stdio;
	struct client *client; /* NULL: it was refused */
	struct conn_peer peer;
	struct guest guest;
	enum conn_state state;
	bool eof;
	struct tls_session *tls; /* NULL: in clear */
	struct framing framing;
	size_t read_size;
	struct buf in;
	struct buf out;
	int64_t opened_ms;
	int64_t partial_since_ms; /* when the incomplete message in `in` began; 0: there is none */
	int64_t progress_ms;	  /* when output was last sent, or queue began */
	int64_t draining_since_ms;
	struct credential_ask *asked; /* NULL: munged is not asked of a credential of this client's */
};

extern const struct client_ops conn_client_ops;

int64_t conn_now_ms(const struct conn *c);

/* Whether more may be asked now: who does not read its answers, or is asked about, waits. */
bool conn_has_room(const struct conn *c);

/* Watch what matters in the present state. */
void conn_update(struct conn *c);

/* Send what is queued, as far as that goes now. */
void conn_flush(struct conn *c);

/* Something that was waited for has come, output is gone or munged has answered: go on. */
void conn_resume(struct conn *c);

/* There is something to read: read it, and handle what is complete. */
void conn_read(struct conn *c);
/* Handle the complete messages of `in`. */
void conn_process(struct conn *c);
/* Say what the peer most likely did, where @err, which is taken, is about bytes; and finish. */
void conn_parse_failed(struct conn *c, struct error *err);

/* Close as soon as what is queued is sent; nothing more is read. */
void conn_finish(struct conn *c);
/* After the end of its input: close when the last request is answered. */
void conn_check_eof(struct conn *c);

/*
 * The one way out. The client is destroyed later, in the close callback: this may be called from
 * within the session, by a failing send.
 */
void conn_close(struct conn *c);

#endif
