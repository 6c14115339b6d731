/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What two readers of one HTTP request might read differently (RFC 9112, 11.2) is refused. */
#ifndef OMPDD_SERVER_HTTP_STRICT_H
#define OMPDD_SERVER_HTTP_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* More headers than this are refused. */
#define HTTP_STRICT_MAX_FIELDS 64

/* One header, as libmicrohttpd has it: both strings end with a NUL. */
struct http_field {
	const char *name;
	const char *value;
};

/*
 * Why the @n headers are refused, in the order in which they came: one that may come once comes twice, the length of
 * the body is said in two ways or in none that is sure, or there are characters that no header has. NULL: they are
 * fine.
 */
const char *http_strict_fields(const struct http_field *fields, size_t n);

/*
 * Whether the strings lie as the bytes of a plain header did: "METHOD URL VERSION", each header as "NAME: VALUE", the
 * blank left out or not, and each line ended by CR LF. Where something else stood in between (a NUL, a lone LF, a line
 * that goes on in the next, a query), they lie farther apart. @size: bytes of all lines and the empty one behind them.
 * For versions of libmicrohttpd that cut headers out of what they have read in place, and let such things through.
 */
bool http_strict_is_plain(const char *method, const char *url, const char *version, const struct http_field *fields,
			  size_t n, size_t size);

#endif
