/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends a file of the page: its security and cache headers, and 304 if the browser has it already. */
#include "server/http_page.h"

#include <string.h>

/* Allow only content from this server, nothing inline, and no framing. Send no referrer to other sites. */
static const char *const headers[][2] = {
	{"Content-Security-Policy",
	 "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Vary", "Accept-Encoding"},
};

enum MHD_Result http_page_send(struct http_conn *c, const struct http_asset *a)
{
	bool known = http_asset_is_known(a, http_header(c, "If-None-Match"));
	bool gzip = !known && http_asset_takes_gzip(http_header(c, "Accept-Encoding"));
	const unsigned char *data = gzip ? a->gzip : a->plain;
	size_t len = known ? 0 : gzip ? a->gzip_len : a->plain_len;

	struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)data, MHD_RESPMEM_PERSISTENT);
	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	/*
	 * "no-cache": the browser revalidates each time, because another ompdd may listen here by then. "no-store":
	 * when the user leaves the page, the browser must not keep its state, such as breakpoints or a stopped program.
	 */
	MHD_add_response_header(r, "Cache-Control", strcmp(a->path, "/") ? "no-cache" : "no-store");
	MHD_add_response_header(r, "ETag", a->etag);
	if (!known)
		MHD_add_response_header(r, "Content-Type", a->type);
	if (gzip)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	c->server->stats.bytes_out += len;
	enum MHD_Result result = MHD_queue_response(c->mhd, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return result;
}
