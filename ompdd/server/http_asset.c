/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of the page's files, and the two request headers that affect how a file is sent. */
#include "server/http_asset.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct http_asset *http_asset_find(const char *path)
{
	for (size_t i = 0; i < n_http_assets; i++) {
		if (!strcmp(http_assets[i].path, path))
			return &http_assets[i];
	}
	return NULL;
}

bool http_asset_is_known(const struct http_asset *a, const char *if_none_match)
{
	const char *at = if_none_match;

	while (at && *at) {
		at += strspn(at, " \t,");
		if (*at == '*')
			return true;
		/* Weak and strong tags compare alike here. */
		if (!strncmp(at, "W/", 2))
			at += 2;
		size_t len = strcspn(at, ",");
		const char *end = at + len;
		while (len && (at[len - 1] == ' ' || at[len - 1] == '\t'))
			len--;
		if (len == strlen(a->etag) && !strncmp(at, a->etag, len))
			return true;
		at = end;
	}
	return false;
}

/* Return true if the parameters of a coding contain ";q=0", with any number of zeros: the client refuses it. */
static bool is_refused(const char *parameters, size_t len)
{
	const char *q = memchr(parameters, '=', len);

	if (!q)
		return false;
	return strtod(q + 1, NULL) <= 0;
}

bool http_asset_takes_gzip(const char *accept_encoding)
{
	const char *at = accept_encoding;

	while (at && *at) {
		at += strspn(at, " \t,");
		size_t len = strcspn(at, ",");
		size_t name = strcspn(at, " \t;,");

		if (name == 4 && !strncasecmp(at, "gzip", 4))
			return !is_refused(at + name, len - name);
		at += len;
	}
	return false;
}
