/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Headers of a request, and the response with the headers that all responses have. */
#include "server/http_guard.h"
#include "server/http_internal.h"

int64_t http_now_ms(const struct http_conn *c)
{
	return (int64_t)uv_now(&c->server->loop);
}

const char *http_header(const struct http_conn *c, const char *name)
{
	return MHD_lookup_connection_value(c->mhd, MHD_HEADER_KIND, name);
}

const char *http_allowed_origin(const struct http_conn *c)
{
	const struct server_options *o = c->server->options;
	const char *origin = http_header(c, "Origin");

	return origin && http_guard_origin(origin, o->allow_origins, o->n_allow_origins) ? origin : NULL;
}

enum MHD_Result http_queue(struct http_conn *c, unsigned int status, struct MHD_Response *response, const char *type)
{
	if (!response)
		return MHD_NO;
	if (type)
		MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Cache-Control", "no-store");
	const char *origin = http_allowed_origin(c);
	if (origin) {
		MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
		MHD_add_response_header(response, "Vary", "Origin");
	}
	enum MHD_Result result = MHD_queue_response(c->mhd, status, response);
	MHD_destroy_response(response);
	return result;
}
