/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who may speak HTTP with us: Host, Origin, Sec-Fetch-Site and the bearer token. Pure. */
#ifndef OMPDD_SERVER_HTTP_GUARD_H
#define OMPDD_SERVER_HTTP_GUARD_H

#include "server/address.h"

enum http_guess { GUESS_NOT_HTTP, GUESS_MAYBE_HTTP, GUESS_HTTP };

/*
 * Whether the first bytes of a connection begin with an HTTP method and a space, as far as they
 * go. CONNECT is no business of ours, and begins like Content-Length.
 */
enum http_guess http_guard_guess(const char *text, size_t len);

/*
 * Whether a Host header names us, so that no foreign name that was made to resolve to this
 * machine (DNS rebinding) gets in: 127.0.0.1, [::1] or localhost, or the address that @bound has
 * (any address where it is bound to all), each with its very port (which may be absent when it is
 * 80). Names are compared without regard to case. Any host is fine on a unix socket.
 */
bool http_guard_host(const char *host, const struct address *bound);

/* Whether @origin is one of @allowed, as a whole; "null" never is. */
bool http_guard_origin(const char *origin, const char *const *allowed, size_t n_allowed);

/*
 * Whether @origin is that of a page which came from @host, which http_guard_host() has let pass: our own page's. Never
 * on a unix socket, where any host passes.
 */
bool http_guard_own_origin(const char *origin, const char *host, const struct address *bound);

/*
 * Whether a Sec-Fetch-Site header allows the request: same-origin (our own page), none (the user typed the address), or
 * NULL (the client is not a browser). A page on another port of this machine is "same-site".
 */
bool http_guard_site(const char *site);

/* What is behind @scheme ("Bearer") in an Authorization header: points into @value, NULL when it is of another one. */
const char *http_guard_credentials(const char *value, const char *scheme);

/* Whether a Content-Type header is application/json, with any parameters. */
bool http_guard_is_json(const char *content_type);

#endif
