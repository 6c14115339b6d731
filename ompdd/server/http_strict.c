/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Refuses HTTP requests that two readers might parse differently. */
#include "server/http_strict.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* RFC 9110, 5.6.2 */
static bool is_name(const char *s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	if (!*s)
		return false;
	for (; *s; s++) {
		bool alnum = (*s >= '0' && *s <= '9') || ((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z');

		if (!alnum && !strchr(others, *s))
			return false;
	}
	return true;
}

static bool is_value(const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool is_number(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && n < 19 && !s[n];
}

static const char *find_field(const struct http_field *fields, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcasecmp(fields[i].name, name))
			return fields[i].value;
	}
	return NULL;
}

const char *http_strict_fields(const struct http_field *fields, size_t n)
{
	/* Headers that affect how the request is handled. Others may be lists. */
	static const char *const once[] = {"Host",	     "Content-Length", "Transfer-Encoding",
					   "Content-Type",   "Origin",	       "Authorization",
					   "Sec-Fetch-Site", "Last-Event-ID",  "Expect",
					   "Connection",     "Upgrade"};

	if (n > HTTP_STRICT_MAX_FIELDS)
		return "there are too many headers\n";
	for (size_t i = 0; i < n; i++) {
		if (!is_name(fields[i].name))
			return "the name of a header has forbidden characters\n";
		if (!is_value(fields[i].value))
			return "a header has control characters\n";
	}
	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		size_t found = 0;

		for (size_t k = 0; k < n; k++)
			found += !strcasecmp(fields[k].name, once[i]);
		if (found > 1)
			return "a header that is allowed once occurs twice\n";
	}
	const char *length = find_field(fields, n, "Content-Length");
	const char *coding = find_field(fields, n, "Transfer-Encoding");
	if (length && coding)
		return "the request has both Content-Length and Transfer-Encoding\n";
	if (length && !is_number(length))
		return "the Content-Length is not a number\n";
	if (coding && strcasecmp(coding, "chunked") != 0)
		return "the only Transfer-Encoding that is supported is chunked\n";
	return NULL;
}

/* Bytes from the end of @a to the start of @b, which may be anywhere. */
static intptr_t measure_gap(const char *a, const char *b)
{
	return (intptr_t)((uintptr_t)b - (uintptr_t)a - strlen(a));
}

bool http_strict_is_plain(const char *method, const char *url, const char *version, const struct http_field *fields,
			  size_t n, size_t size)
{
	const char *line = version;

	if (measure_gap(method, url) != 1 || measure_gap(url, version) != 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		intptr_t colon = measure_gap(fields[i].name, fields[i].value);

		if (measure_gap(line, fields[i].name) != 2 || (colon != 1 && colon != 2))
			return false;
		line = fields[i].value;
	}
	return (uintptr_t)line + strlen(line) + strlen("\r\n\r\n") == (uintptr_t)method + size;
}
