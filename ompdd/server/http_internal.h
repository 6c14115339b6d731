/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files http*.c share: a connection, its requests, its stream. */
#ifndef OMPDD_SERVER_HTTP_INTERNAL_H
#define OMPDD_SERVER_HTTP_INTERNAL_H

#include <microhttpd.h>

#include "server/address.h"
#include "server/credential_ask.h"
#include "server/http.h"
#include "server/internal.h"

/* Whether libmicrohttpd can be told how strict to be; older ones cut headers out of what they have read, in place. */
#define HTTP_HAS_DISCIPLINE (MHD_VERSION >= 0x00097701)

/* The longest name of a session (header Ompdd-Session). */
#define HTTP_SESSION_MAX 64
/* The longest that it may be silent for, in seconds (header Ompdd-Lease). */
#define HTTP_LEASE_MAX_S 3600

struct http_conn {
	struct list link;
	struct server *server;
	struct MHD_Connection *mhd;
	struct client *client;
	struct conn_peer peer;
	struct guest guest;
	struct address bound; /* of the listener */
	bool suspended;
	bool answered; /* answer holds the response of the request under way */
	struct buf answer;
	int64_t waiting_since_ms; /* for the end of a request; 0: it is here */
	unsigned int n_begun;	  /* requests that libmicrohttpd has begun to read */
	unsigned int n_taken;	  /* those of them that it gave us */
	bool streaming;		  /* GET /events: answer is what is not sent yet */
	bool stream_ended;
	char session[HTTP_SESSION_MAX + 1]; /* the name that GET /events gave it; "" */
	int64_t stream_sent_ms;		    /* when something was last put into it */
	int64_t lease_ms;		    /* it ends when nobody asks under its name for so long; 0: it does not */
	int64_t renewed_ms;		    /* when somebody last did */
	struct credential_ask *asked;	    /* NULL: munged is not asked of the credential of the request under way */
};

int64_t http_now_ms(const struct http_conn *c);

/*
 * The stream of the user of @c whose GET /events had that name, or NULL. What requests with that name ask belongs to
 * it: a browser spreads them over connections as it likes.
 */
struct http_conn *http_find_session(const struct http_conn *c, const char *name);

/* Let a suspended connection go on. */
void http_resume(struct http_conn *c);

/* A header of the request; NULL when there is none. */
const char *http_header(const struct http_conn *c, const char *name);

/* The Origin of the request, if it is one of those that may read answers. */
const char *http_allowed_origin(const struct http_conn *c);

/* Queue @response (NULL: memory is out) and let go of it. @type may be NULL. */
enum MHD_Result http_queue(struct http_conn *c, unsigned int status, struct MHD_Response *response, const char *type);

/* How answers of the session to POST /rpc come. */
extern const struct client_ops http_client_ops;

/* One call of MHD's access handler (http_request.c), and its end; *@request is theirs. */
enum MHD_Result http_request_take(struct http_conn *c, const char *url, const char *method, const char *version,
				  const char *data, size_t *len, void **request);
void http_request_free(void *request);

/*
 * GET /events (http_stream.c): begin (with @lease_ms of struct http_conn), look at the time, end behind what is queued,
 * end at once.
 */
enum MHD_Result http_stream_begin(struct http_conn *c, int64_t lease_ms);
void http_stream_tick(struct http_conn *c, int64_t now);
void http_stream_end(struct http_conn *c);
void http_stream_break(struct http_conn *c);

#endif
