/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a file of the page is sent: what the browser may do with it, and whether it has it already. */
#include "server/http_page.h"

#include <string.h>

/*
 * Nothing but what comes from here, nothing inline, in nobody's frame; no address that it is left for learns where
 * from.
 */
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
	 * To be kept, but asked for each time: another ompdd may listen here by then. A page that somebody has left is
	 * not to be kept as it was, for what it holds (breakpoints, a stopped program) would be kept with it.
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
