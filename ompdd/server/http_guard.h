/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Access rules for HTTP: Host, Origin, Sec-Fetch-Site and the bearer token. Pure. */
#ifndef OMPDD_SERVER_HTTP_GUARD_H
#define OMPDD_SERVER_HTTP_GUARD_H

#include "server/address.h"

enum http_guess { GUESS_NOT_HTTP, GUESS_MAYBE_HTTP, GUESS_HTTP };

/*
 * Guess whether the available first bytes of a connection are an HTTP method and a space. CONNECT does not count: we do
 * not serve it, and it starts like Content-Length.
 */
enum http_guess http_guard_guess(const char *text, size_t len);

/*
 * Check that a Host header names this listener. This stops DNS rebinding: a foreign name that was made to resolve to
 * this machine. Accepts 127.0.0.1, [::1], localhost, and the address of @bound. Accepts any literal address if @bound
 * means all addresses. The port must match; it may be absent if it is 80. Ignores the case of names. Accepts any host
 * on a unix socket.
 */
bool http_guard_host(const char *host, const struct address *bound);

/* Return true if @origin equals one of @allowed; always false for "null". */
bool http_guard_origin(const char *origin, const char *const *allowed, size_t n_allowed);

/*
 * Return true if @origin is our own page's: the page from @host, which http_guard_host() accepted. Always false on a
 * unix socket, where any host is accepted.
 */
bool http_guard_own_origin(const char *origin, const char *host, const struct address *bound);

/*
 * Return true if a Sec-Fetch-Site header allows the request: same-origin (our own page), none (the user typed the
 * address), or NULL (the client is not a browser). A page on another port of this machine is "same-site".
 */
bool http_guard_site(const char *site);

/*
 * Return the text after @scheme ("Bearer") in an Authorization header: points into @value. Returns NULL for another
 * scheme.
 */
const char *http_guard_credentials(const char *value, const char *scheme);

/* Return true if a Content-Type header is application/json, with any parameters. */
bool http_guard_is_json(const char *content_type);

#endif
