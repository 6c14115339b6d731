/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One HTTP request: refusals, the documents of GET, and POST /rpc. The connection of POST /rpc is suspended while a
 * worker handles the request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/audit.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "methods.h"
#include "server/http_guard.h"
#include "server/http_internal.h"
#include "server/http_page.h"
#include "server/http_strict.h"
#include "server/metrics.h"

/* Larger bodies are not even discarded: the answer is sent and the connection closes before they arrive. */
#define DISCARD_MAX (16 * 1024 * 1024)
/* One request; MHD keeps the pointer for us. */
struct http_request {
	struct buf body;
	size_t received;
	bool too_long;
	char session[HTTP_SESSION_MAX + 1]; /* "": no session */
};

static void client_send(void *conn, const char *text, size_t len)
{
	struct http_conn *c = conn;

	/* One answer per request. A client that closed meanwhile gets no answer. */
	buf_consume(&c->answer, c->answer.len);
	struct error *err = buf_append(&c->answer, text, len);
	if (!err)
		err = buf_append(&c->answer, "\n", 1);
	error_destroy(err);
	c->answered = true;
	http_resume(c);
}

static void client_finish(void *conn)
{
	(void)conn; /* each request carries its token */
}

/* HTTP has credentials in headers, not in rpc.authenticate. */
static struct error *client_check_credential(void *conn, const char *credential)
{
	struct credential_ask *none = NULL;

	(void)conn;
	return credential_ask_take(&none, credential);
}

const struct client_ops http_client_ops = {
	.send = client_send, .finish = client_finish, .check_credential = client_check_credential};

static enum MHD_Result queue_text(struct http_conn *c, unsigned int status, const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);

	if (r && status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer realm=\"ompdd\"");
	return http_queue(c, status, r, "text/plain; charset=utf-8");
}

static enum MHD_Result queue_not_allowed(struct http_conn *c, const char *methods)
{
	static const char text[] = "this path does not accept that method\n";
	struct MHD_Response *r =
		MHD_create_response_from_buffer(sizeof(text) - 1, (void *)text, MHD_RESPMEM_PERSISTENT);

	if (r)
		MHD_add_response_header(r, "Allow", methods);
	return http_queue(c, MHD_HTTP_METHOD_NOT_ALLOWED, r, "text/plain; charset=utf-8");
}

/* Queue c->answer; its memory goes to MHD. */
static enum MHD_Result queue_answer(struct http_conn *c)
{
	struct buf *b = &c->answer;

	c->answered = false;
	if (b->start)
		memmove(b->data, b->data + b->start, b->len);
	c->server->stats.bytes_out += b->len;
	struct MHD_Response *r =
		b->len ? MHD_create_response_from_buffer(b->len, b->data, MHD_RESPMEM_MUST_FREE) : NULL;
	if (r)
		*b = (struct buf){0};
	return http_queue(c, MHD_HTTP_OK, r, "application/json");
}

struct fields {
	struct http_field all[HTTP_STRICT_MAX_FIELDS];
	size_t n; /* may exceed the room */
};

static enum MHD_Result add_field(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct fields *f = cls;

	(void)kind;
	if (f->n < HTTP_STRICT_MAX_FIELDS)
		f->all[f->n] = (struct http_field){name, value ? value : ""};
	f->n++;
	return MHD_YES;
}

/* Return why other software might parse the request differently, or NULL. */
static const char *find_ambiguity(struct http_conn *c, const char *url, const char *method, const char *version)
{
	struct fields f = {.n = 0};

	/* The end of that request's body is ambiguous: this request may be a part of it. */
	if (++c->n_taken != c->n_begun)
		return "an earlier request on this connection could not be read\n";
	MHD_get_connection_values(c->mhd, MHD_HEADER_KIND, add_field, &f);
	if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
		return "this is neither HTTP/1.1 nor HTTP/1.0\n";
	if (MHD_get_connection_values(c->mhd, MHD_GET_ARGUMENT_KIND, NULL, NULL))
		return "no path of this server accepts a query\n";
	const char *why = http_strict_fields(f.all, f.n);
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	size_t size = info ? info->header_size : 0;
	if (!why && !HTTP_HAS_DISCIPLINE && !http_strict_is_plain(method, url, version, f.all, f.n, size))
		why = "the header is not a sequence of plain lines\n";
	return why;
}

/* Refuse the request and read nothing more: the next bytes may be a part of this request, or another one. */
static enum MHD_Result queue_bad_request(struct http_conn *c, const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	if (r)
		MHD_add_response_header(r, "Connection", "close");
	return http_queue(c, MHD_HTTP_BAD_REQUEST, r, "text/plain; charset=utf-8");
}

/* Answer a browser's preflight request; it carries no token yet. */
static enum MHD_Result queue_preflight(struct http_conn *c)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

	if (r) {
		MHD_add_response_header(r, "Access-Control-Allow-Methods", "DELETE, GET, POST");
		MHD_add_response_header(r, "Access-Control-Allow-Headers",
					"authorization, content-type, ompdd-lease, ompdd-session");
		MHD_add_response_header(r, "Access-Control-Max-Age", "600");
	}
	return http_queue(c, MHD_HTTP_NO_CONTENT, r, NULL);
}

enum shown { SHOWN_NONE, SHOWN_GOOD, SHOWN_ASKED };

static void on_checked(void *arg)
{
	http_resume(arg);
}

/* Ask munged about @credential; MHD calls again when the answer is known. @why_ret: why it was refused. */
static enum shown check_credential(struct http_conn *c, const char *credential, struct error **why_ret)
{
	struct error *err = NULL;
	bool is_new = !c->asked;

	if (is_new)
		err = credential_ask_begin(&c->server->loop, &c->server->credentials, credential, on_checked, c,
					   &c->asked);
	if (is_new && !err) {
		c->suspended = true;
		MHD_suspend_connection(c->mhd);
		return SHOWN_ASKED;
	}
	if (!err)
		err = credential_ask_take(&c->asked, credential);
	if (err)
		log_err(LOG_INFO, err, "HTTP: refused");
	*why_ret = err;
	return err ? SHOWN_NONE : SHOWN_GOOD;
}

/* Check the token. @why_ret: a more detailed reason for a refusal, if there is one. */
static enum shown check_token(struct http_conn *c, struct error **why_ret)
{
	if (c->peer.authenticated)
		return SHOWN_GOOD;
	const char *header = http_header(c, "Authorization");
	const char *token = http_guard_credentials(header, "Bearer");
	const char *credential = c->server->options->auth ? http_guard_credentials(header, "MUNGE") : NULL;
	if (credential)
		return check_credential(c, credential, why_ret);
	return token && session_token_matches(c->server->session, token, strlen(token)) ? SHOWN_GOOD : SHOWN_NONE;
}

static enum MHD_Result queue_unauthorized(struct http_conn *c, const struct error *why)
{
	const struct server_options *o = c->server->options;
	char challenge[80], text[512];

	snprintf(text, sizeof(text), "%s%ssend the header %s%s%s\n", why ? why->message : "", why ? ": " : "",
		 o->auth ? "Authorization: MUNGE CREDENTIAL, which munge makes for the realm of WWW-Authenticate, for "
			   "each request a new one"
			 : "",
		 o->auth && o->token_file ? ", or " : "",
		 o->token_file ? "Authorization: Bearer TOKEN, with the token of ompdd's --token-file" : "");
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
	snprintf(challenge, sizeof(challenge), "MUNGE realm=\"%s\"", c->server->credentials.challenge);
	if (r && o->auth)
		MHD_add_response_header(r, "WWW-Authenticate", challenge);
	return http_queue(c, MHD_HTTP_UNAUTHORIZED, r, "text/plain; charset=utf-8");
}

static void audit_refused(const struct http_conn *c)
{
	audit_write(&(struct audit_entry){
		.uid = c->peer.who.uid,
		.pid = c->peer.who.pid,
		.program = c->peer.who.program,
		.method = "http",
		.outcome = "unauthorized",
	});
}

/*
 * Refuse requests that a foreign page made the browser send, before any other check. Returns 0 if the request may
 * continue.
 */
static unsigned int guard_request(struct http_conn *c, const char **text_ret)
{
	if (!http_guard_host(http_header(c, "Host"), &c->bound)) {
		*text_ret = "the Host header does not contain an address of this server\n";
		return MHD_HTTP_FORBIDDEN;
	}
	if (http_header(c, "Origin") && !http_allowed_origin(c) &&
	    !http_guard_own_origin(http_header(c, "Origin"), http_header(c, "Host"), &c->bound)) {
		*text_ret = "this origin is not allowed; ompdd --allow-origin allows it\n";
		return MHD_HTTP_FORBIDDEN;
	}
	if (!http_guard_site(http_header(c, "Sec-Fetch-Site")) && !http_allowed_origin(c)) {
		*text_ret = "requests from pages of another origin are refused; ompdd --allow-origin allows "
			    "allow them\n";
		return MHD_HTTP_FORBIDDEN;
	}
	return 0;
}

static enum MHD_Result answer_get(struct http_conn *c, const char *path)
{
	if (!strcmp(path, "/openrpc.json")) {
		return http_queue(
			c, MHD_HTTP_OK,
			MHD_create_response_from_buffer(openrpc_json_len, (void *)openrpc_json, MHD_RESPMEM_PERSISTENT),
			"application/json");
	}
	struct buf text = {0};
	/*
	 * Any client here gets the metrics of ompdd. Only one that acts as the daemon's own user gets those of the node
	 * (--metrics-file).
	 */
	struct error *err = metrics_write(c->server, c->client, c->peer.who.uid == geteuid(), &text);
	if (err) {
		error_destroy(err);
		buf_deinit(&text);
		return MHD_NO;
	}
	return http_queue(c, MHD_HTTP_OK, MHD_create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_FREE),
			  "text/plain; version=0.0.4");
}

/* GET /events: start a session. */
static enum MHD_Result begin_session(struct http_conn *c)
{
	const char *lease = http_header(c, "Ompdd-Lease");
	int64_t seconds = 0;

	if (lease && !number_parse(lease, 1, HTTP_LEASE_MAX_S, &seconds))
		return queue_text(c, MHD_HTTP_BAD_REQUEST, "Ompdd-Lease must be a number from 1 to 3600: seconds\n");
	return http_stream_begin(c, seconds * 1000);
}

/* DELETE /events: end a session if it still exists. A page has time for no more when the user leaves it. */
static enum MHD_Result end_session(struct http_conn *c)
{
	const char *session = http_header(c, "Ompdd-Session");
	struct http_conn *stream = session ? http_find_session(c, session) : NULL;

	if (!session)
		return queue_text(c, MHD_HTTP_BAD_REQUEST, "the header Ompdd-Session names it\n");
	if (stream)
		http_stream_break(stream);
	return http_queue(c, MHD_HTTP_NO_CONTENT, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT),
			  NULL);
}

static void answer_too_long(struct http_conn *c)
{
	struct error *err = error_create(ERR_LIMIT_EXCEEDED, "a message is longer than %d bytes", LIMIT_MESSAGE);

	client_send_error(c->client, error_detail(err, "limit", "message"));
	error_destroy(err);
}

/* The header has arrived. Returns MHD_YES and sets *@ret if the body is needed; else queues a response. */
static enum MHD_Result begin_request(struct http_conn *c, const char *path, const char *method,
				     struct http_request **ret)
{
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	const char *text;

	unsigned int refused = guard_request(c, &text);
	if (refused) {
		audit_refused(c);
		return queue_text(c, refused, text);
	}
	if (c->peer.only_metrics && strcmp(path, "/metrics") != 0) {
		audit_refused(c);
		return queue_text(c, MHD_HTTP_FORBIDDEN, "this user may read /metrics only (--metrics-for)\n");
	}
	if (!strcmp(method, "OPTIONS") && http_allowed_origin(c))
		return queue_preflight(c);
	if (!strcmp(path, "/healthz"))
		return get ? queue_text(c, MHD_HTTP_OK, "") : queue_not_allowed(c, "GET, HEAD");
	const struct http_asset *asset = http_asset_find(path);
	if (asset)
		return get ? http_page_send(c, asset) : queue_not_allowed(c, "GET, HEAD");
	if (!strcmp(path, "/"))
		return queue_text(c, MHD_HTTP_NOT_FOUND, "this ompdd was built without its page (-DOMPDD_WEB=OFF)\n");
	bool free_for_peer = c->peer.only_metrics || (c->peer.also_metrics && !strcmp(path, "/metrics"));
	_cleanup_error_ struct error *why = NULL;
	enum shown shown = free_for_peer ? SHOWN_GOOD : check_token(c, &why);
	if (shown == SHOWN_ASKED)
		return MHD_YES;
	if (shown == SHOWN_NONE) {
		audit_refused(c);
		return queue_unauthorized(c, why);
	}
	if (!free_for_peer)
		guest_end(&c->guest);
	if (!strcmp(path, "/openrpc.json") || !strcmp(path, "/metrics"))
		return get ? answer_get(c, path) : queue_not_allowed(c, "GET, HEAD");
	if (!strcmp(path, "/events"))
		return !strcmp(method, "GET")	   ? begin_session(c)
		       : !strcmp(method, "DELETE") ? end_session(c)
						   : queue_not_allowed(c, "DELETE, GET");
	if (strcmp(path, "/rpc"))
		return queue_text(c, MHD_HTTP_NOT_FOUND,
				  "the paths are POST /rpc, GET /, /events, /openrpc.json, /metrics and /healthz\n");
	if (strcmp(method, "POST"))
		return queue_not_allowed(c, "POST");
	if (!http_guard_is_json(http_header(c, "Content-Type")))
		return queue_text(c, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "the Content-Type must be application/json\n");
	const char *length = http_header(c, "Content-Length");
	if (length && strtoull(length, NULL, 10) > DISCARD_MAX) {
		answer_too_long(c);
		return queue_answer(c);
	}
	const char *session = http_header(c, "Ompdd-Session");
	struct http_conn *owner = session ? http_find_session(c, session) : NULL;
	if (session && !owner)
		return queue_text(c, MHD_HTTP_CONFLICT, "no GET /events has that Ompdd-Session\n");
	if (owner)
		owner->renewed_ms = http_now_ms(c);
	struct http_request *r = calloc(1, sizeof(*r));
	if (!r)
		return MHD_NO;
	snprintf(r->session, sizeof(r->session), "%s", session ? session : "");
	*ret = r;
	return MHD_YES;
}

static enum MHD_Result take_body(struct http_request *r, const char *data, size_t *len)
{
	size_t n = *len;

	*len = 0;
	r->received += n;
	if (r->received > DISCARD_MAX)
		return MHD_NO;
	if (r->received > LIMIT_MESSAGE) {
		r->too_long = true;
		buf_deinit(&r->body);
		return MHD_YES;
	}
	struct error *err = buf_append(&r->body, data, n);
	error_destroy(err);
	return err ? MHD_NO : MHD_YES;
}

/* The body has arrived: the session answers it, now or later. */
static enum MHD_Result finish_request(struct http_conn *c, struct http_request *r)
{
	bool expected = true;

	c->waiting_since_ms = 0;
	c->server->stats.bytes_in += r->received;
	if (r->too_long) {
		answer_too_long(c);
	} else {
		struct http_conn *owner = *r->session ? http_find_session(c, r->session) : NULL;

		client_acts_for(c->client, owner ? owner->client : NULL);
		/* A parse error fails only this request: HTTP shows where the next one starts. */
		error_destroy(
			session_receive(c->client, r->body.len ? buf_head(&r->body) : "", r->body.len, &expected));
		client_acts_for(c->client, NULL);
	}
	buf_deinit(&r->body);
	if (c->answered)
		return queue_answer(c);
	if (!expected)
		return http_queue(c, MHD_HTTP_NO_CONTENT,
				  MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT), NULL);
	c->suspended = true;
	MHD_suspend_connection(c->mhd);
	return MHD_YES;
}

enum MHD_Result http_request_take(struct http_conn *c, const char *url, const char *method, const char *version,
				  const char *data, size_t *len, void **request)
{
	struct http_request *r = *request;

	const char *doubt = r || c->asked ? NULL : find_ambiguity(c, url, method, version);
	if (doubt)
		return queue_bad_request(c, doubt);
	if (!r)
		return begin_request(c, url, method, (struct http_request **)request);
	if (*len)
		return take_body(r, data, len);
	if (c->answered)
		return queue_answer(c); /* resumed */
	return finish_request(c, r);
}

void http_request_free(void *request)
{
	struct http_request *r = request;

	if (r)
		buf_deinit(&r->body);
	free(r);
}
