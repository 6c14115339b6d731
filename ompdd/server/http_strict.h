/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Refuses HTTP requests that two readers might parse differently (RFC 9112, 11.2). */
#ifndef OMPDD_SERVER_HTTP_STRICT_H
#define OMPDD_SERVER_HTTP_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* The largest number of headers in a request. */
#define HTTP_STRICT_MAX_FIELDS 64

/* One header, as libmicrohttpd has it: both strings end with a NUL. */
struct http_field {
	const char *name;
	const char *value;
};

/*
 * Return why the @n headers, in their order of arrival, are refused; NULL: they are fine. Reasons: a header that must
 * be unique is repeated; the length of the body is stated twice or ambiguously; a character is not valid in a header.
 */
const char *http_strict_fields(const struct http_field *fields, size_t n);

/*
 * Return true if the strings are as far apart as the bytes of plain headers. These are "METHOD URL VERSION", then
 * "NAME: VALUE" per header, with or without the blank. Each line ends with CR LF. A NUL, a lone LF, a folded line or a
 * query in between moves the strings farther apart. @size: bytes of all lines and of the empty line after them. For
 * versions of libmicrohttpd that cut headers out of their buffer in place, and so accept such requests.
 */
bool http_strict_is_plain(const char *method, const char *url, const char *version, const struct http_field *fields,
			  size_t n, size_t size);

#endif
