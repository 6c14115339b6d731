/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the files http*.c: a connection, its requests, its stream. */
#ifndef OMPDD_SERVER_HTTP_INTERNAL_H
#define OMPDD_SERVER_HTTP_INTERNAL_H

#include <microhttpd.h>

#include "server/address.h"
#include "server/credential_ask.h"
#include "server/http.h"
#include "server/internal.h"

/*
 * True if libmicrohttpd has a setting for its strictness. Older versions cut headers out of their read buffer in place.
 */
#define HTTP_HAS_DISCIPLINE (MHD_VERSION >= 0x00097701)

/* The longest name of a session (header Ompdd-Session). */
#define HTTP_SESSION_MAX 64
/* The longest lease, in seconds (header Ompdd-Lease). */
#define HTTP_LEASE_MAX_S 3600

struct http_conn {
	struct list link;
	struct server *server;
	struct MHD_Connection *mhd;
	struct client *client;
	struct conn_peer peer;
	struct guest guest;
	struct address bound; /* address of the listener */
	bool suspended;
	bool answered; /* answer holds the response of the current request */
	struct buf answer;
	int64_t waiting_since_ms; /* for the end of a request; 0: it has arrived */
	unsigned int n_begun;	  /* requests that libmicrohttpd has started to read */
	unsigned int n_taken;	  /* the part of them that it passed to us */
	bool streaming;		  /* GET /events: answer holds the unsent part of the stream */
	bool stream_ended;
	char session[HTTP_SESSION_MAX + 1]; /* the name that GET /events set; "": no name */
	int64_t stream_sent_ms;		    /* when bytes were last added to the stream */
	/* the stream ends after this time without a request under its name; 0: never */
	int64_t lease_ms;
	int64_t renewed_ms;	      /* time of the last such request */
	struct credential_ask *asked; /* NULL: no request to munged is pending for the current HTTP request */
};

int64_t http_now_ms(const struct http_conn *c);

/*
 * Find the stream with @name that the user of @c opened by GET /events. Returns NULL if there is no such stream.
 * Requests with that name belong to it: a browser distributes them over several connections.
 */
struct http_conn *http_find_session(const struct http_conn *c, const char *name);

/* Resume a suspended connection. */
void http_resume(struct http_conn *c);

/* Return a header of the request; NULL if it is absent. */
const char *http_header(const struct http_conn *c, const char *name);

/* Return the Origin of the request if that origin may read answers; else NULL. */
const char *http_allowed_origin(const struct http_conn *c);

/* Queue @response (NULL: out of memory) and release it. @type may be NULL. */
enum MHD_Result http_queue(struct http_conn *c, unsigned int status, struct MHD_Response *response, const char *type);

/* How the session sends answers to POST /rpc. */
extern const struct client_ops http_client_ops;

/* MHD's access handler (http_request.c), and the handler for its end; they own *@request. */
enum MHD_Result http_request_take(struct http_conn *c, const char *url, const char *method, const char *version,
				  const char *data, size_t *len, void **request);
void http_request_free(void *request);

/*
 * GET /events (http_stream.c): start (with @lease_ms of struct http_conn), check the time limits, end after the queued
 * bytes, end at once.
 */
enum MHD_Result http_stream_begin(struct http_conn *c, int64_t lease_ms);
void http_stream_tick(struct http_conn *c, int64_t now);
void http_stream_end(struct http_conn *c);
void http_stream_break(struct http_conn *c);

#endif
